import { readFile } from "node:fs/promises";
import { brotliDecompress } from "node:zlib";
import { promisify } from "node:util";
import { systemClock, type Clock } from "@basis/core";
import { ApprovalError } from "../approval-error.ts";

/** A node of a parsed shell text. Offsets count UTF-16 units. */
export interface ShellNode {
  readonly type: string;
  readonly isNamed: boolean;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly hasError: boolean;
  readonly children: readonly (ShellNode | null)[];
}

/** Parses shell text and hands the root to `read` while the tree lives. Throws for a text whose parse takes too long. */
export type ShellParser = <T>(source: string, read: (root: ShellNode) => T) => T;

const PEER: string = "web-tree-sitter";
const PEER_VERSION = "^0.27.0";
const GRAMMAR = new URL("../../grammar/bash.wasm.br", import.meta.url);

/** Milliseconds that one parse may block: the grammar needs seconds for some texts that nobody writes. */
const MAX_PARSE_MS = 200;

/**
 * Loads the parser and the bash grammar, about 20 ms.
 *
 * @throws ApprovalError `missing_peer` when web-tree-sitter is not installed or does not work, `grammar_failed`.
 */
export async function loadShellParser(clock: Clock = systemClock): Promise<ShellParser> {
  const { Parser, Language } = await loadPeer();
  const grammar = await loadGrammar((bytes) => Language.load(bytes));
  const parser = new Parser();
  parser.setLanguage(grammar);
  return (source, read) => {
    const endMs = clock.monotonicMs() + MAX_PARSE_MS;
    const tree = parser.parse(source, null, { progressCallback: () => clock.monotonicMs() > endMs });
    if (tree === null) {
      parser.reset();
      throw new RangeError(`the shell parser was stopped after ${MAX_PARSE_MS} ms`);
    }
    try {
      return read(tree.rootNode);
    } finally {
      tree.delete();
    }
  };
}

/** As much of web-tree-sitter as is used. Its own declarations need those of a browser. */
interface TreeSitter {
  readonly Parser: {
    new (): {
      setLanguage(language: unknown): unknown;
      parse(
        source: string,
        oldTree: null,
        options: { readonly progressCallback: () => boolean },
      ): { readonly rootNode: ShellNode; delete(): void } | null;
      reset(): void;
    };
    init(): Promise<void>;
  };
  readonly Language: { load(bytes: Uint8Array): Promise<unknown> };
}

async function loadPeer(): Promise<TreeSitter> {
  try {
    const peer: TreeSitter = await import(PEER);
    await peer.Parser.init();
    return peer;
  } catch (cause) {
    throw new ApprovalError(
      "missing_peer",
      `command rules need the package ${PEER} (${PEER_VERSION}): npm install ${PEER}@${PEER_VERSION}`,
      { details: { package: PEER, version: PEER_VERSION }, cause },
    );
  }
}

async function loadGrammar<T>(compile: (bytes: Uint8Array) => Promise<T>): Promise<T> {
  try {
    return await compile(await promisify(brotliDecompress)(await readFile(GRAMMAR)));
  } catch (cause) {
    throw new ApprovalError("grammar_failed", `the shell grammar ${GRAMMAR.pathname} could not be loaded`, {
      details: { file: GRAMMAR.pathname },
      cause,
    });
  }
}
