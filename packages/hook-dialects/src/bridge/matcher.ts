/** Names come from a model: what is longer than this is not matched against an expression, and counts as a match. */
const MAX_NAME = 512;

/** Claude's matchers: all, exact names, or an expression found anywhere in the name. */
export function matchesClaude(matcher: string | undefined, names: readonly string[]): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*") return true;
  if (/^[A-Za-z0-9_\- ,|]+$/.test(matcher)) {
    const exact = matcher.split(/[|,]/).map((name) => name.trim());
    return names.some((name) => exact.includes(name));
  }
  return matchesExpression(matcher, names);
}

/** An expression found anywhere in a name. What is no expression is a literal name. */
export function matchesExpression(source: string, names: readonly string[]): boolean {
  const expression = expressionOf(source);
  if (expression === undefined) return names.includes(source);
  return names.some((name) => name.length > MAX_NAME || expression.test(name));
}

/** The expression, or undefined when the text is none. */
export function expressionOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
}

/**
 * Whether a call may be one that a permission rule (`Tool`, `Tool(text:*)`, `Bash(git commit *)`) is about. Wide on
 * purpose: the words of the rule's fixed beginning may stand anywhere in a command, quoted or not; a command that the
 * shell completes may hold any word; and what is not a command's rule matches by tool.
 */
export function mayMatchRule(rule: string, names: readonly string[], command: string | undefined): boolean {
  const [, tool = rule, text] = /^([^(]+)\((.*)\)$/s.exec(rule) ?? [];
  if (!names.includes(tool.trim())) return false;
  if (text === undefined || command === undefined) return true;
  if (/[$`*?[{]/.test(command)) return true;
  const plain = command.replaceAll(/["'\\]/g, "");
  const words = text
    .split(/:?\*/)[0]!
    .replaceAll(/["'\\]/g, "")
    .split(/\s+/);
  return words.every((word) => plain.includes(word));
}
