/** A model as its provider names it. Used by child-policy, typed-output and session. */
export interface ModelRef {
  readonly provider: string;
  readonly id: string;
}

/** A model with what is known of it; `contextWindow` is in tokens. Used by child-policy and typed-output. */
export interface ModelInfo extends ModelRef {
  readonly contextWindow?: number;
}

/** `provider/id`: the first slash separates, since ids may hold slashes. Undefined when either part is missing. */
export function parseModelRef(text: string): ModelRef | undefined {
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1) return undefined;
  return { provider: text.slice(0, slash), id: text.slice(slash + 1) };
}

/** The form that `parseModelRef` reads. */
export function formatModelRef(model: ModelRef): string {
  return `${model.provider}/${model.id}`;
}
