import { visibleText } from "@basis/core";
import type { FileFinding, ProviderFinding } from "./lint-file.ts";

/** What was found, for a reader: the file, then warnings, then provider by provider. */
export function renderFindings(findings: readonly FileFinding[]): string {
  return findings.map((finding) => `${renderFile(finding).join("\n")}\n`).join("\n");
}

function renderFile({ file, error, warnings, providers }: FileFinding): string[] {
  const head = show(file);
  if (error) return [`${head}: ${error.code}: ${show(error.message)}`];
  return [
    head,
    ...warnings.map(({ pointer, message }) => `  warning at ${place(pointer)}: ${show(message)}`),
    ...providers.flatMap(renderProvider),
  ];
}

function renderProvider({ provider, unsupported, limits, ledger }: ProviderFinding): string[] {
  const exceeded = limits.filter((limit) => limit.exceeded);
  const lines = [
    ...unsupported.map(({ pointer, message }) => `    unsupported at ${place(pointer)}: ${show(message)}`),
    ...exceeded.map(({ limit, count, most }) => `    over the limit: ${limit} ${count} of ${most}`),
    ...ledger.map(({ pointer, action, note = "", enforced }) => {
      const checked = enforced ? "" : "; not checked";
      return `    ${action} at ${place(pointer)}: ${show(note)}${checked}`;
    }),
  ];
  return [`  ${provider}: ${lines.length === 0 ? "as written" : ""}`.trimEnd(), ...lines];
}

function place(pointer: string): string {
  return pointer === "" ? "the root" : show(pointer);
}

function show(text: string): string {
  return visibleText(text, { maxChars: 400 });
}
