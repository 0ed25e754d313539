# Builds signoff from this repository, in Nix's sandbox: `nix run 'git+file:.?dir=.packages/nix'`.
{
  description = "Terminal coding agent that changes nothing until you sign off";

  inputs.nixpkgs.url = "nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      manifest = (builtins.fromTOML (builtins.readFile ../../Cargo.toml)).workspace.package;
    in
    {
      packages = nixpkgs.lib.genAttrs systems (
        system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        {
          default = pkgs.rustPlatform.buildRustPackage {
            pname = "signoff";
            version = manifest.version;
            src = ../..;
            cargoLock.lockFile = ../../Cargo.lock;
            buildAndTestSubdir = "crates/cli";
            # The tests of programs need namespaces, which the sandbox of a build has not.
            doCheck = false;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            postInstall = ''
              $out/bin/signoff man > signoff.1
              installManPage signoff.1
              installShellCompletion --cmd signoff \
                --bash <($out/bin/signoff completions bash) \
                --zsh <($out/bin/signoff completions zsh) \
                --fish <($out/bin/signoff completions fish)
            '';
            meta = {
              description = "Terminal coding agent that changes nothing until you sign off";
              license = pkgs.lib.licenses.mit;
              mainProgram = "signoff";
              platforms = systems;
            };
          };
        }
      );
    };
}
