import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { own, repository } from "../../harness/places.mjs";
import { textOf } from "./calls.mjs";

/** The limit: the parser alone, with nothing read from its tree. */
export async function open() {
  const { Parser, Language } = await own("packages/approval/node_modules/web-tree-sitter/web-tree-sitter.js");
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(
    await Language.load(
      brotliDecompressSync(await readFile(join(repository, "packages/approval/grammar/bash.wasm.br"))),
    ),
  );
  let number = 5;
  return {
    run(count) {
      for (let at = 0; at < count; at += 1) parser.parse(textOf((number += 1))).delete();
    },
  };
}
