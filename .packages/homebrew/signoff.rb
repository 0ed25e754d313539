class Signoff < Formula
  desc "Terminal coding agent that changes nothing until you sign off"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "MIT"

  depends_on :linux

  on_intel do
    url "@DOWNLOAD@/signoff-@VERSION@-x86_64-unknown-linux-gnu.tar.gz"
    sha256 "@SHA256_X86_64@"
  end
  on_arm do
    url "@DOWNLOAD@/signoff-@VERSION@-aarch64-unknown-linux-gnu.tar.gz"
    sha256 "@SHA256_AARCH64@"
  end

  def install
    bin.install "signoff"
    man1.install "signoff.1"
    bash_completion.install "completions/signoff.bash" => "signoff"
    zsh_completion.install "completions/_signoff"
    fish_completion.install "completions/signoff.fish"
  end

  test do
    assert_equal "signoff #{version}", shell_output("#{bin}/signoff --version").strip
    (testpath/"word.md").write "colour\n"
    system bin/"signoff", "exec", "--offline", "--approve", "all", 'replace "colour" with "color" in word.md'
    assert_equal "color\n", (testpath/"word.md").read
  end
end
