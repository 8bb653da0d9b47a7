import type { StoredRule } from "@basis/approval";
import { deadRules } from "@basis/approval/store";
import { z } from "zod";
import { personBehind } from "../../approvals/person.ts";
import { ruleInWords } from "../../approvals/remembered-call.ts";
import { takeItems } from "../page.ts";
import { RpcError } from "../rpc-error.ts";
import { defineMethod, type RpcMethod } from "../rpc-method.ts";
import type { ServerHost } from "../server-host.ts";
import { credentialOf, tokenFile } from "./credential.ts";
import { limit, word } from "./parameters.ts";

const list = z.strictObject({
  tool: word.optional(),
  scope: z.enum(["session", "workspace", "global"]).optional(),
  after: word.optional(),
  limit,
});

/** `rules/list` and `rules/revoke`. */
export function ruleMethods(host: ServerHost): readonly RpcMethod[] {
  const { rules } = host.runtime.state.ledger;
  return [
    defineMethod({
      name: "rules/list",
      params: list,
      async call({ tool, scope, after = "", limit: most }) {
        const dead = deadRules(await rules.list(), { nowMs: Date.now() });
        const problems = new Map(dead.map(({ rule, problem }) => [rule.id, problem]));
        const found = (await rules.list({ toolName: tool, scope }))
          .filter(({ id }) => id > after)
          .toSorted((one, other) => (one.id < other.id ? -1 : 1));
        const { items, isWhole } = await takeItems(
          found.map((rule) => wireRule(rule, problems.get(rule.id))),
          most,
        );
        return { rules: items, next: isWhole ? null : items.at(-1)!.rule };
      },
    }),
    defineMethod({
      name: "rules/revoke",
      params: z.strictObject({ rule: word, token_file: tokenFile }),
      async call({ rule, token_file: file }, caller) {
        const person = credentialOf(host, file, caller);
        await personBehind({ ...person, what: "rules revoke", lines: [], question: "Forget this rule?" });
        if (await rules.revoke(rule)) return { rule };
        throw new RpcError("not_found", `there is no rule ${JSON.stringify(rule)}`, { kind: "unknown_rule" });
      },
    }),
  ];
}

/** `dead` says why a rule can decide nothing any more. */
function wireRule(rule: StoredRule, dead: string | undefined) {
  const { id, scope, effect, toolName, agent, expiresAt } = rule;
  return {
    rule: id,
    scope,
    effect,
    tool: toolName,
    agent: agent ?? null,
    in_words: ruleInWords(rule),
    expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    dead: dead ?? null,
  };
}
