const utf8 = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

/** Valid answers of every kind, as byte strings (one character a byte). */
export const ANSWERS: readonly string[] = [
  `{"decision":"allow"}`,
  `{"decision":"allow","reason":"looks fine"}`,
  ` { "decision" : "allow" }\n`,
  `{"note":{"by":["a",1,null,true]},"decision":"allow","version":9}`,
  `{"decision":"deny"}`,
  `{"decision":"deny","reason":"no \\"secrets\\" \\u0041\\n here"}`,
  `{"reason":["not","text"],"decision":"deny"}`,
  utf8(`{"decision":"deny","reason":"größer — 日本 𝔘"}`),
  `{"decision":"modify","input":{}}`,
  `{"decision":"modify","input":{"command":"ls -l","argv":["git","status"],"n":-0.5e3},"reason":"read only"}`,
  `{"input":{"a":{"b":{"c":[[],{},[{}]]}},"constructor":{"x":1},"toString":null},"decision":"modify"}`,
  `{"decision":"modify","input":{"id":9007199254740993,"big":1e308,"zero":-0,"":""}}`,
  utf8(`{"decision":"modify","input":{"päth":"\\ud83d\\ude00 \\ud800 é"}}`),
  `{"decision":"replace","output":"text"}`,
  `{"decision":"replace","output":null,"is_error":false}`,
  `{"decision":"replace","output":[1,2,{"x":"y"}],"is_error":true,"reason":"cleaned"}`,
  `{"decision":"replace","output":{"deep":${"[".repeat(60)}1${"]".repeat(60)}}}`,
  `\r\n\t{"output":0,\n"decision":"replace",\n"isError":"ignored"}`,
];

/** The same as lines of a worker, and a hello. */
export const LINES: readonly string[] = [
  ...ANSWERS.map((answer, index) => answer.replaceAll("\n", " ").replace("{", `{"id":"q-${index}",`)),
  `{"hook_worker":1}`,
  `{"hook_worker":1,"name":"guard"}`,
];
