import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../../../api/client';
import { lazily } from '../../../ui/lazily';
import type { Actions } from '../actions';

const ConfirmationCard = lazily(async () => (await import('./confirmation-card')).ConfirmationCard);

interface ConfirmationsProps {
  sessionId: string;
  actions: Actions;
  canDecide: boolean;
}

/** The calls of the AI in a session that wait for somebody's word. */
export const Confirmations = ({ sessionId, actions, canDecide }: ConfirmationsProps) => {
  const { data } = useQuery({
    queryKey: ['getChatSession', sessionId, 'confirmations'],
    queryFn: () => dataOf(api.GET('/autopilot/confirmations', { params: { query: { session_id: sessionId } } })),
    retry: false,
  });
  return data?.items.map((confirmation) => (
    <ConfirmationCard key={confirmation.id} confirmation={confirmation} actions={actions} canDecide={canDecide} />
  ));
};
