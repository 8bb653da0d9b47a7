import type { ApprovalSubject, Approver, ApproverAnswer } from "@basis/approval";

/** An answer, made from the question where it is a function. */
export type ScriptedApproval =
  | ApproverAnswer
  | ((subject: ApprovalSubject) => ApproverAnswer | Promise<ApproverAnswer>);

/** Answers in turn, the last answer again and again, and remembers the questions. */
export class RecordingApprover implements Approver {
  readonly name = "test";
  readonly asked: ApprovalSubject[] = [];
  readonly #answers: readonly ScriptedApproval[];

  constructor(...answers: readonly ScriptedApproval[]) {
    this.#answers = answers.length > 0 ? answers : [{ decision: "allow" }];
  }

  approve(subject: ApprovalSubject): ApproverAnswer | Promise<ApproverAnswer> {
    const answer = this.#answers[Math.min(this.asked.length, this.#answers.length - 1)]!;
    this.asked.push(subject);
    return typeof answer === "function" ? answer(subject) : answer;
  }
}
