import type { CompletedCommand, CompletedOption, Expected } from "./completion-spec.ts";

/** A script for zsh that completes from the spec alone, with what each word is for. */
export function zshCompletion(spec: readonly CompletedCommand[]): string {
  return `#compdef basis
# basis completion for zsh. Load it with: source <(basis completion zsh), after compinit
_basis_sessions() {
  local -a found
  found=(\${(f)"$(_call_program sessions $words[1] sessions list 2>/dev/null | awk 'NR > 1 { print $1 }')"})
  compadd -a found
}
_basis() {
  local current=$words[CURRENT] before=$words[CURRENT-1] path_="" word
  local -a choices
  for word in \${words[2,CURRENT-1]}; do
    case "$path_/$word" in
${spec
  .filter(({ path }) => path.length > 0)
  .map((command) => `      (${keyOf(command)}) path_=${keyOf(command)} ;;`)
  .join("\n")}
    esac
  done
  case "$path_ $before" in
${spec.flatMap((command) => command.options.flatMap((option) => valueCase(command, option))).join("\n")}
  esac
  if [[ $current == -* ]]; then
    case "$path_" in
${spec.map((command) => `      ("${keyOf(command)}") ${described(command.options.map(({ name, about }) => [name, about]))} ;;`).join("\n")}
    esac
    return
  fi
  case "$path_" in
${spec.map((command) => `    ("${keyOf(command)}") ${wordOf(command)} ;;`).join("\n")}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _basis "$@"; else compdef _basis basis; fi
`;
}

function keyOf({ path }: CompletedCommand): string {
  return path.map((word) => `/${word}`).join("");
}

function valueCase(command: CompletedCommand, { name, value }: CompletedOption): readonly string[] {
  return value === undefined ? [] : [`    ("${keyOf(command)} ${name}") ${reply(value)} return ;;`];
}

function wordOf({ verbs, word }: CompletedCommand): string {
  return verbs.length > 0 ? described(verbs) : reply(word ?? { kind: "anything" });
}

function reply(expected: Expected): string {
  switch (expected.kind) {
    case "words":
      return `compadd -- ${expected.words.join(" ")};`;
    case "session":
      return "_basis_sessions;";
    case "file":
      return "_files;";
    case "anything":
      return ":;";
  }
}

function described(choices: readonly (readonly [string, string])[]): string {
  const items = choices.map(([word, about]) => quoted(`${word.replaceAll(":", "\\:")}:${about}`));
  return `choices=(${items.join(" ")}); _describe -t basis basis choices;`;
}

/** One word of the shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
