import { parseJson } from '../../../src/providers/llm/completions.ts';
import { withoutThoughts } from '../../../src/providers/llm/thoughts.rules.ts';

const CHANNELS =
  '<|channel|>analysis<|message|>We need a greeting.<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>';

describe('an answer without what its model thought aloud', () => {
  it.each([
    ['<think>\nA greeting.\n</think>\n\nHello', 'Hello'],
    ['<THINK>A greeting.</Think>Hello', 'Hello'],
    ['<think></think>Hello', 'Hello'],
    ['<think>one</think><think>two</think>Hello', 'Hello'],
    ['<think>one</think>Hello <think>two</think>there', 'Hello there'],
    ['A greeting is wanted.\n</think>\nHello', 'Hello'],
    ['<thinking>A greeting.</thinking>Hello', 'Hello'],
    ['<thought>A greeting.</thought>Hello', 'Hello'],
    ['<reasoning>A greeting.</reasoning>\nHello', 'Hello'],
    ['<seed:think>A greeting.</seed:think>Hello', 'Hello'],
    ['[THINK]A greeting.[/THINK]Hello', 'Hello'],
    ['◁think▷A greeting.◁/think▷Hello', 'Hello'],
    ['<|begin_of_thought|>A greeting.<|end_of_thought|>Hello', 'Hello'],
    [CHANNELS, 'Hello'],
    ['analysisWe need a greeting.assistantfinalHello', 'Hello'],
    ['<think>A greeting is wanted, but which', ''],
    ['Hello <think>or rather', 'Hello'],
    ['<|channel|>analysis<|message|>We need a greeting.', ''],
  ])('%j is %j', (text, answer) => {
    expect(withoutThoughts(text)).toBe(answer);
  });

  it.each([
    'Hello',
    '  Hello  ',
    'I think <b>so</b>',
    'Use <thinking> in your prompt',
    '{"answer":"the tag <think> and the tag </think>"}',
    'analysis of the order',
  ])('%j stays as it is', (text) => {
    expect(withoutThoughts(text)).toBe(text);
  });

  it('takes as long as the text for marks that are never closed', () => {
    const text = `Hello ${'<think>'.repeat(20_000)}`;
    const begun = performance.now();
    expect(withoutThoughts(text)).toBe('Hello');
    expect(performance.now() - begun).toBeLessThan(500);
  });
});

describe('the JSON of an answer', () => {
  it.each([
    ['{"a":1}'],
    ['```json\n{"a":1}\n```'],
    ['Here it is:\n```json\n{"a":1}\n```'],
    ['Here it is:\n```\n{"a":1}\n```\nIs that all?'],
    ['First ```{"a":0}```, or rather\n```json\n{"a":1}\n```'],
    ['Here it is: {"a":1}'],
  ])('is found in %j', (text) => {
    expect(parseJson(text)).toEqual({ a: 1 });
  });

  it.each(['', 'no', '```', '``````', '}{', 'Here it is: {a}'])('is not found in %j', (text) => {
    expect(parseJson(text)).toBeUndefined();
  });
});
