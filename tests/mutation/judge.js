// Judges TypeScript, JavaScript and CSS. In: the file's name as argument, JSON lines {"text"}; the packages
// `typescript`, `postcss` and `css-tree`. Out: a line each, true if the parser accepts the text; null if two differ.
const name = process.argv[2];
const accepts = name.endsWith(".css") ? style() : script();

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  console.log(accepts(JSON.parse(line).text));
});

function script() {
  const ts = require("typescript");
  return (text) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, false).parseDiagnostics.length === 0;
}

// By its standard every text is CSS, and a browser leaves out what it does not know. `postcss` refuses what most tools
// do, though not each bracket too many; `css-tree` reports all that the standard calls an error.
function style() {
  const postcss = require("postcss");
  const tree = require("css-tree");
  return (text) => {
    try {
      postcss.parse(text);
    } catch (error) {
      return false;
    }
    let errors = 0;
    tree.parse(text, { onParseError: () => errors++ });
    return errors === 0 ? true : null;
  };
}
