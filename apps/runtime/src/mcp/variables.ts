const OPENING = "${";
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A text with `${NAME}` in it: which names, and what is wrong with it. */
export interface VariableUse {
  readonly names: readonly string[];
  readonly problem?: string;
}

/** Finds the variables of a text. */
export function variablesOf(text: string): VariableUse {
  const names = [...text.matchAll(VARIABLE)].map((match) => match[1]!);
  const opened = text.split(OPENING).length - 1;
  if (opened === names.length) return { names };
  return { names, problem: "only ${NAME} is expanded: letters, digits and _, no default and no nesting" };
}

/** Puts values in the place of variables, each once: what a value holds is not expanded again. */
export function expandVariables(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole);
}
