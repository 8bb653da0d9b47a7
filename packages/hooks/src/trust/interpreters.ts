/** A family of programs that run a file given as an argument. */
interface Interpreter {
  readonly names: RegExp;
  /** Options before the file that load no code. */
  readonly inert: RegExp;
}

const INTERPRETERS: readonly Interpreter[] = [
  { names: /^(node|nodejs)\d*$/, inert: /^--(no-warnings|enable-source-maps|no-deprecation)$/ },
  { names: /^python[\d.]*$/, inert: /^-[IuBsES]+$/ },
  { names: /^(sh|dash|bash|zsh|ksh)$/, inert: /^(-[efux]+|--norc|--noprofile|--posix)$/ },
  { names: /^perl[\d.]*$/, inert: /^-[wT]+$/ },
  { names: /^ruby[\d.]*$/, inert: /^-w$/ },
];

/** Programs of a system that run no code but their own. */
const INERT: ReadonlySet<string> = new Set(["true", "false", "cat", "echo", "printf"]);

const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(
  "npx npm pnpm pnpx yarn bun bunx deno uv uvx pipx pip poetry cargo go dotnet bundle gem".split(" "),
);

/** Variables through which a program can be made to load other code. */
const LOADS_CODE =
  /^(NODE_OPTIONS|NODE_PATH|PYTHON.*|BASH_ENV|ENV|ZDOTDIR|LD_.*|DYLD_.*|PERL5.*|PERLLIB|RUBYOPT|RUBYLIB|CLASSPATH|JAVA_TOOL_OPTIONS)$/;

/** Where the file stands that a command runs, or why it cannot be told. */
export type ScriptPlace =
  | { readonly kind: "script"; readonly index: number }
  | { readonly kind: "none" }
  | { readonly kind: "unpinned"; readonly why: string };

/** The name without directories and a Windows ending. */
export function programName(path: string): string {
  return path.replace(/^.*[/\\]/, "").replace(/\.(exe|cmd|bat)$/i, "");
}

/** True for a program that runs a file given as its argument. */
export function isInterpreter(name: string): boolean {
  return INTERPRETERS.some(({ names }) => names.test(name));
}

/** Finds the file among the arguments that `name` runs; `index` counts from the first argument. */
export function scriptPlace(name: string, args: readonly string[]): ScriptPlace {
  const interpreter = INTERPRETERS.find(({ names }) => names.test(name));
  if (interpreter === undefined) {
    if (INERT.has(name)) return { kind: "none" };
    const what = PACKAGE_RUNNERS.has(name) ? "is a package runner: it" : "is a program that";
    return { kind: "unpinned", why: `'${name}' ${what} chooses its code when it starts` };
  }
  for (const [index, arg] of args.entries()) {
    if (interpreter.inert.test(arg)) continue;
    if (arg === "--" && args[index + 1] !== undefined) return { kind: "script", index: index + 1 };
    if (arg.startsWith("-")) {
      return { kind: "unpinned", why: `'${name} ${arg}' takes its code from elsewhere than a file` };
    }
    return { kind: "script", index };
  }
  return { kind: "unpinned", why: `'${name}' without a file reads its code from standard input` };
}

/** The variables among those granted that can make a program load other code. */
export function codeLoadingVariables(names: readonly string[]): readonly string[] {
  return names.filter((name) => LOADS_CODE.test(name));
}
