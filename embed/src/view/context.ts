import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Chat } from '../chat.ts';
import { ENGLISH_LANGUAGE, fill, type Word } from '../words.ts';

export const ChatContext = createContext<Chat>(undefined as never);

/** Returns the chat with its state, and draws again when that changes. */
export function useChat() {
  const chat = useContext(ChatContext);
  const [state, setState] = useState(chat.state());
  useEffect(() => {
    setState(chat.state());
    return chat.watch(() => setState(chat.state()));
  }, [chat]);
  const { words, code } = state.language ?? ENGLISH_LANGUAGE;
  const t = (word: Word, values: Record<string, string | number> = {}) => fill(words[word], values);
  return { chat, state, t, language: code };
}

/** Returns how the org, its AI and its people are called. */
export function useNames() {
  const { chat, state, t } = useChat();
  const { config } = state;
  return {
    org: chat.options.title ?? config?.org.name ?? t('title'),
    ai: chat.options.aiName ?? config?.ai?.name ?? 'AI',
    person: (name: string | null | undefined) => chat.options.personName || name || t('team'),
    logo: chat.options.logo ?? config?.appearance.logo ?? undefined,
  };
}
