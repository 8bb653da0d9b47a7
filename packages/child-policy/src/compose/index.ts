export {
  firstMatch,
  narrowOnly,
  shadow,
  when,
  type PartialPolicy,
  type ShadowReport,
  type ShownAnswer,
} from "./compose-policies.ts";
