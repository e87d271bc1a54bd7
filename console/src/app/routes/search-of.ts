/** The parameters of a page's address: texts, and texts of which only some values mean something. */
interface Parameters<Choices, Text extends string> {
  choices: Choices;
  texts: readonly Text[];
}

type Search<Choices extends Record<string, readonly string[]>, Text extends string> = {
  [Name in keyof Choices]?: Choices[Name][number];
} & { [Name in Text]?: string };

/**
 * Returns the reader of a page's parameters in its address. It leaves out everything else, so a mistyped link shows the
 * page without that filter.
 */
export const searchOf =
  <const Choices extends Record<string, readonly string[]>, const Text extends string>({
    choices,
    texts,
  }: Parameters<Choices, Text>) =>
  (search: Record<string, unknown>): Search<Choices, Text> => {
    const chosen = Object.keys(choices).filter((name) => choices[name]?.some((value) => value === search[name]));
    const written = texts.filter((name) => typeof search[name] === 'string' && search[name] !== '');
    return Object.fromEntries([...chosen, ...written].map((name) => [name, search[name]])) as Search<Choices, Text>;
  };
