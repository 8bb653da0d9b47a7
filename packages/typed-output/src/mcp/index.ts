export {
  specOfTool,
  toolOutput,
  type ListedTool,
  type ToolOutput,
  type ToolOutputOptions,
} from "./tool-output.ts";
