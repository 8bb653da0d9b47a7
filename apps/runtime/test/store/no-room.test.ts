import { expect, it } from "vitest";
import { parseDatabase } from "../../src/config/store-place.ts";
import { queueRefusal } from "../../src/queue/open-queue.ts";
import { databaseRefusal } from "../../src/store/open-database.ts";

const place = parseDatabase("postgres://me:secret-word@host:5432/db", "the address");

/** What the store or the engine tells of what the driver met. */
const met = (code: string): Error =>
  new Error("the server refuses", { cause: Object.assign(new Error("sorry"), { code }) });

it("a server without a free connection is told as such, with what to do, by the store and by the queue", () => {
  for (const refusal of [databaseRefusal(place, met("53300")), queueRefusal(met("53300"))]) {
    expect(refusal).toMatchObject({
      name: "StartError",
      message: expect.stringContaining("max_connections"),
    });
    expect(refusal.message).not.toContain("secret-word");
  }
  for (const refusal of [databaseRefusal(place, met("57P03")), queueRefusal(met("57P03"))])
    expect(refusal.message).not.toContain("max_connections");
});
