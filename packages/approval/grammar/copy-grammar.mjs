// Takes the bash grammar out of an unpacked tree-sitter-bash package: `node copy-grammar.mjs FOLDER`, where `npm pack` left it.
// Compressed, it is a tenth of its size; what was taken is written down beside it.
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("say in which folder the unpacked package lies");
const here = import.meta.dirname;
const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const grammar = readFileSync(join(folder, "tree-sitter-bash.wasm"));
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
const sha256 = createHash("sha256").update(grammar).digest("hex");
writeFileSync(join(here, "bash.wasm.br"), brotliCompressSync(grammar, { params }));
copyFileSync(join(folder, "LICENSE"), join(here, "LICENSE"));
writeFileSync(join(here, "source.json"), `${JSON.stringify({ name, version, license, sha256 }, null, 2)}\n`);
