import { type Block, branchesOf } from '../blocks';
import { allSteps } from '../paths';

/** Written JSON of a step, not taken yet, and its JSON before. */
export interface StepText {
  text: string;
  of: string;
}

const TEXT = Symbol('JSON that is not taken');

/** A text is a part of its step, so that it stays with it wherever it moves. JSON of the step leaves it out. */
type WrittenBlock = Block & { [TEXT]?: StepText | undefined };

/** Returns what is written of a step as JSON and not taken. */
export const textOf = (step: WrittenBlock): StepText | undefined => step[TEXT];

/** Returns a step with another text, or without one. */
export const withText = (step: Block, text: StepText | undefined): Block => ({ ...step, [TEXT]: text }) as WrittenBlock;

/** Returns the steps that have a text, with their paths. */
export const stepsWithText = (blocks: Block[]) => allSteps(blocks).filter(({ step }) => textOf(step) !== undefined);

/** Returns the steps in the branches of a block that have a text. */
export const innerStepsWithText = (block: Block) => branchesOf(block).flatMap(({ steps }) => stepsWithText(steps));
