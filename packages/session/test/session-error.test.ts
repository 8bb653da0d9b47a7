import { isBasisError } from "@basis/core";
import { isSessionError, memoryStore, SessionError } from "@mobkit/session";
import { describe, expect, test } from "vitest";

describe("a session error", () => {
  const error = new SessionError("lease_held", "held by a", {
    details: { sessionId: "s", owner: "a", expiresAt: 5 },
    cause: new Error("why"),
  });

  test("is JSON by construction and keeps its cause apart", () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "SessionError",
      code: "lease_held",
      message: "held by a",
      details: { sessionId: "s", owner: "a", expiresAt: 5 },
    });
    expect((error.cause as Error).message).toBe("why");
    expect(Object.isFrozen(error.details)).toBe(true);
  });

  test("is recognised by brand and by code", () => {
    expect(isBasisError(error, "SessionError")).toBe(true);
    expect(isSessionError(error)).toBe(true);
    expect(isSessionError(error, "lease_held")).toBe(true);
    expect(isSessionError(error, "busy")).toBe(false);
    expect(isSessionError(new Error("lease_held"))).toBe(false);
  });

  test("narrows its details by its code", async () => {
    const refused: unknown = await memoryStore()
      .head("nobody")
      .catch((caught: unknown) => caught);
    const sessionId =
      isSessionError(refused) && refused.code === "unknown_session" ? refused.details.sessionId : "";
    expect(sessionId).toBe("nobody");
  });
});
