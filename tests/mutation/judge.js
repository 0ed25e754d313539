// Judges TypeScript and JavaScript. In: the file's name as argument, JSON lines {"text"}; the package `typescript`.
// Out: a line each, true if the parser accepts the text.
const ts = require("typescript");
const name = process.argv[2];

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const parsed = ts.createSourceFile(name, JSON.parse(line).text, ts.ScriptTarget.Latest, false);
  console.log(parsed.parseDiagnostics.length === 0);
});
