import { render } from "preact";
import { EventStore } from "./state/event-store.ts";
import { Recording } from "./state/recording.ts";
import { takeToken } from "./state/route.ts";
import { LiveSource } from "./stream/live-source.ts";
import { logSource, type Source } from "./stream/source.ts";
import { App } from "./view/app.tsx";
import { Guard } from "./view/guard.tsx";

/** A log that is a part of the page: an export, or a replay. */
const embedded = document.getElementById("basis-log");
const source = embedded === null ? openHost() : openLog(embedded);
if (source === undefined) document.querySelector("main")!.hidden = false;
else show(source);

function show(opened: Source): void {
  const root = document.createElement("div");
  root.className = "root";
  document.body.replaceChildren(root);
  render(
    <Guard part="the page">
      <App source={opened} />
    </Guard>,
    root,
  );
}

function openLog(log: HTMLElement): Source {
  // A file is held whole: what was exported can be looked at.
  const recording = new Recording(new EventStore(Number.POSITIVE_INFINITY));
  // The log begins behind the line of its element.
  recording.text(log.textContent.replace("\n", ""));
  return logSource(log.dataset["name"] ?? "a log", recording);
}

/** The token stands in the address once; a reload finds it where only this tab looks. */
function openHost(): Source | undefined {
  const { token: given, rest } = takeToken(location.hash);
  if (given !== undefined) {
    sessionStorage.setItem("basis-token", given);
    history.replaceState(null, "", `${location.pathname}${rest}`);
  }
  const token = given ?? sessionStorage.getItem("basis-token") ?? undefined;
  // A tab that is open already meets an address with a token as another fragment of its own.
  addEventListener("hashchange", () => {
    if (takeToken(location.hash).token !== undefined) location.reload();
  });
  if (token === undefined) return undefined;
  const { signal } = new AbortController();
  return new LiveSource({ token, fetch: (path, init) => fetch(path, init), signal });
}
