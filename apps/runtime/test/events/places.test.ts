import { describe, expect, it } from "vitest";
import { openTestHost, stateKinds } from "../harness/test-host.ts";
import { allOf } from "../harness/stored-events.ts";

describe.each(stateKinds)("the places of a log, with the state in %s", (state) => {
  it("grow with the events of all sessions, and end where the last of them stands", async () => {
    const { events } = (await openTestHost({ state })).state;
    expect([await events.lastPlace(), await events.at(0), await events.at(1)]).toEqual([
      0,
      undefined,
      undefined,
    ]);
    for (const session of ["kept", "gone", "kept", "gone"])
      events.emit({ session }, "notice", { text: session });
    const all = await allOf(events.readAll(0));
    expect(all.map(({ event: { session, seq } }) => [session, seq])).toEqual([
      ["kept", 1],
      ["gone", 1],
      ["kept", 2],
      ["gone", 2],
    ]);
    expect(await events.lastPlace()).toBe(all[3]!.place);
    expect(await allOf(events.readAll(all[1]!.place))).toEqual(all.slice(2));
    await events.forget(["gone"]);
    expect(await allOf(events.readAll(0))).toEqual([all[0], all[2]]);
    expect(await events.lastPlace()).toBe(all[2]!.place);
    expect(await events.at(all[2]!.place)).toEqual(all[2]!.event);
    expect(await events.at(all[1]!.place)).toBeUndefined();
    events.emit({ session: "new" }, "notice", { text: "new" });
    expect((await allOf(events.readAll(all[2]!.place))).map(({ event }) => event.session)).toEqual(["new"]);
  });
});
