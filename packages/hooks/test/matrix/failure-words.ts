import type { FailureCode } from "../../src/index.ts";

const PROBLEMS = [
  "it is not an object",
  "it is not UTF-8 text",
  "it overwrote what it had printed",
  "it is a second hello",
  "it came before the hello",
  "it has no id",
  "its id is not a text",
  "its id is of no open request",
  "its hook_worker is not 1",
  "the text is empty",
  "the JSON document is not finished",
  "text follows the JSON document",
  String.raw`not JSON from character \d+ on`,
  "nested deeper than 64 levels",
  String.raw`a key (?:stands twice|is not accepted), at character \d+`,
  "decision is missing",
  "unknown decision",
  "modify needs a JSON object as its input",
  "replace needs an output",
  "is_error is not a boolean",
  "a number is not JSON",
].join("|");

/** All that a model may read of a program that could not answer; none of it is the program's own. */
const WORDS: Partial<Record<FailureCode, RegExp>> = {
  not_started: /^could not be started(: there is no such program)?$/,
  timed_out: /^did not answer within 300ms( and was killed)?$/,
  exited: /^exited with (code \d+|a signal)$/,
  silent: /^printed nothing; silence is not consent$/,
  output_too_large: /^printed more than the 8388608 bytes an answer may have$/,
  invalid_answer: new RegExp(`^printed something that is not a decision \\((${PROBLEMS})\\)$`),
  wrong_event:
    /^answered (replace to pre_tool_use, where only allow, deny and modify|modify to post_tool_use, where only allow, deny and replace) are answers$/,
};

/** The code whose words a text is, or undefined when it is nobody's. */
export function codeOfWords(text: string): string | undefined {
  return Object.entries(WORDS).find(([, words]) => words.test(text))?.[0];
}
