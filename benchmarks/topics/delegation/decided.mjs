import { own } from "../../harness/places.mjs";
import { contextOf, system, toolsOf } from "./scene.mjs";

/** The policy asked, the plan made, the approver's preview built, for a parent with so many tools. */
export async function open({ tools: count }) {
  const { ChildSpec, ToolRoster, parseSpawn, resolveChild, spawnPreview } = await own(
    "packages/child-policy/dist/index.js",
  );
  const tools = toolsOf(count);
  const context = contextOf(tools);
  const parent = { tools, hidden: [], alwaysHidden: ["delegate"], model: context.parentModel };
  const offered = tools.slice(0, count / 2);
  const policy = () => ChildSpec.inherit().withRoster(ToolRoster.only(offered)).withSystem(system);
  const decide = async () => {
    const plan = await resolveChild({ policy, context, parent, widen: "refuse" });
    return spawnPreview(parseSpawn({ input: "find the bug" }), { cwd: "/repo", plan });
  };
  const { child } = await decide();
  if (child?.system !== "replaced" || child.roster.offered.length !== count / 2)
    throw new Error("another child was planned");
  return {
    async run(times) {
      for (let at = 0; at < times; at += 1) await decide();
    },
  };
}
