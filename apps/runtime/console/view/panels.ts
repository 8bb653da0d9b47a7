// What is loaded behind the first paint: everything about one row, and the way through the log's time.
export { CopyCommand } from "./copy-command.tsx";
export { Inspector } from "./inspector.tsx";
export { Scrubber } from "./scrubber.tsx";
