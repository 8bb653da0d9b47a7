import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { activityOf, type Activity } from "../state/activity.ts";
import { everyRow, type Filter } from "../state/row-filter.ts";
import type { Model, SessionNode } from "../state/model.ts";
import type { Recording } from "../state/recording.ts";
import type { Route } from "../state/route.ts";
import { busyStretches, timeScale, type TimeScale } from "../state/time-scale.ts";
import type { Moment } from "../state/time-order.ts";
import { waitingCalls, type Waiting } from "../state/waiting-calls.ts";
import type { RowNode } from "../state/row-key.ts";
import { treeRows, type Row } from "../state/tree-rows.ts";
import type { Source } from "../stream/source.ts";
import { chosenSession, familyOf, rowIndex } from "./choice.ts";
import type { Panels } from "./use-panels.ts";
import { useRoute } from "./use-route.ts";
import { useNow, useSource } from "./use-source.ts";

export const panes = ["sessions", "runs", "details"] as const;
export type Pane = (typeof panes)[number];

/** What the page shows, and what can be done with it. */
export interface Page {
  readonly model: Model;
  readonly activity: Activity;
  readonly waiting: readonly Waiting[];
  /** The session whose family is shown. */
  readonly session: SessionNode | undefined;
  readonly rows: readonly Row[];
  readonly scale: TimeScale;
  /** Where time ends on this page: now, or the last moment of a log. */
  readonly end: number;
  readonly route: Route;
  /** The chosen row. */
  readonly node: RowNode | undefined;
  readonly filter: Filter;
  readonly setFilter: (filter: Filter) => void;
  /** How many events are shown; undefined for all of them. */
  readonly shown: number | undefined;
  readonly setShown: (count: number | undefined) => void;
  readonly pane: Pane;
  readonly setPane: (pane: Pane) => void;
  /** Chooses a row and shows its details. */
  readonly choose: (row: string) => void;
  /** Chooses a row, and stays in the tree. */
  readonly move: (row: string) => void;
  readonly toggle: (row: string) => void;
  readonly openTab: (name: string) => void;
  /** Shows a session, and a row of it. */
  readonly show: (session: string, row: string | undefined) => void;
}

/** Everything that the page's parts have in common. */
export function usePage(source: Source, loaded: Panels | undefined): Page {
  const frame = useSource(source);
  const [route, go] = useRoute();
  const [pane, setPane] = useState<Pane>("runs");
  const [filter, setFilter] = useState(everyRow);
  const [shown, setShown] = useState<number>();
  const { recording } = source;
  const model = useModel(recording, { shown, frame, loaded });
  const activity = useMemo(() => activityOf(model), [model, frame]);
  const waiting = useMemo(() => waitingCalls(model), [model, frame]);
  const isRecorded = source.status.kind === "file" || shown !== undefined;
  const now = useNow(activity.running > 0 && !isRecorded);
  const end = isRecorded ? lastMoment(model) : now;
  const session = chosenSession(model, route);
  const { rows, toggle: open } = useRows({ model, session, filter, frame });
  const scale = useMemo(() => timeScale(busyStretches(rows, end)), [rows, end]);
  const node = chosenNode(rows, route, session);
  useFilterKey();
  // With each event and not with each frame: a page that nobody sees has no frames.
  const { row: looked } = route;
  useEffect(
    () => loaded && source.listen(() => loaded.foldAway(source.recording.model, { keep: looked })),
    [source, loaded, looked],
  );
  useEffect(() => {
    if (looked !== undefined) void loaded?.openAround(source, looked);
  }, [source, loaded, looked]);
  useEffect(() => {
    if (route.session !== undefined) source.want(route.session);
  }, [source, route.session]);
  const move = (row: string): void => go({ ...route, session: topOf(rows, row) ?? session?.id, row });
  const unfold = (key: string): boolean => {
    const found = rows[rowIndex(rows, key)]?.node;
    if (found?.kind !== "folded") return false;
    void loaded?.openFolded(source, found);
    return true;
  };
  const show = (id: string, row: string | undefined): void => {
    if (row !== undefined) unfold(row);
    go({ session: id, row: row ?? id, tab: route.tab });
    setPane(row === undefined ? "runs" : "details");
  };
  const toggle = (key: string): void => {
    if (!unfold(key)) open(key);
  };
  const choose = (row: string): void => {
    unfold(row);
    move(row);
    setPane("details");
  };
  const openTab = (tab: string): void => go({ ...route, tab });
  const found = { model, activity, waiting, session, rows, scale, end, route, node };
  return { ...found, filter, setFilter, shown, setShown, pane, setPane, choose, move, toggle, openTab, show };
}

/** The session at the top of a row. */
function topOf(rows: readonly Row[], key: string): string | undefined {
  let at = rowIndex(rows, key);
  while (at > 0 && rows[at]!.depth > 0) at -= 1;
  return rows[at]?.key;
}

/** The chosen row; without one, the session as a whole. */
function chosenNode(
  rows: readonly Row[],
  { row }: Route,
  session: SessionNode | undefined,
): RowNode | undefined {
  const found = rows[rowIndex(rows, row)]?.node;
  return found ?? (session === undefined ? undefined : { kind: "session", session });
}

interface ModelOf {
  readonly shown: number | undefined;
  readonly frame: number;
  readonly loaded: Panels | undefined;
}

/** What the log told, or what it had told after its first events. */
function useModel(recording: Recording, { shown, frame, loaded }: ModelOf): Model {
  const moment = useRef<Moment | undefined>(undefined);
  return useMemo(() => {
    if (shown === undefined) {
      // Nothing of a past moment is held any longer.
      moment.current = undefined;
      return recording.model;
    }
    moment.current = loaded!.asOf(recording, shown, moment.current);
    return moment.current.model;
  }, [recording, shown, shown === undefined ? frame : recording.store.revision]);
}

interface RowsOf {
  readonly model: Model;
  readonly session: SessionNode | undefined;
  readonly filter: Filter;
  readonly frame: number;
}

/** The rows of a session's family, and what opens and closes one. */
function useRows({ model, session, filter, frame }: RowsOf): {
  readonly rows: readonly Row[];
  readonly toggle: (key: string) => void;
} {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(
    () => (session === undefined ? [] : treeRows(model, { roots: familyOf(model, session), closed, filter })),
    [model, frame, session, closed, filter],
  );
  const toggle = (key: string): void =>
    setClosed((last) => {
      const next = new Set(last);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  return { rows, toggle };
}

function lastMoment({ sessions }: Model): number {
  return Math.max(0, ...[...sessions.values()].map(({ lastAt = 0 }) => lastAt));
}

/** `/` leads to the filter, from wherever no text is typed. */
function useFilterKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { target } = event;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
      event.preventDefault();
      document.getElementById("filter")?.focus();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
