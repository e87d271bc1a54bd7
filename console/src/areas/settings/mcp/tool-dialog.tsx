import { api, dataOf, type Schemas } from '../../../api/client';
import { actionsQuery, mcpServersQuery } from '../../../api/settings';
import { Dialog } from '../../../ui/dialogs/dialog';
import { diffOf, withoutSame } from '../../../ui/diff/diff';
import { DiffView } from '../../../ui/diff/diff-view';
import { FormEnd } from '../../../ui/forms/form-end';
import { JsonView } from '../../../ui/json/json-view';
import { useChange } from '../frame/use-change';

interface ToolDialogProps {
  server: string;
  tool: Schemas['McpTool'];
  mayWrite: boolean;
  onClose: () => void;
}

const linesOf = (value: unknown): string[] => JSON.stringify(value, null, 2).split('\n');

/** The definition of a tool, with what has changed since it was accepted. Accepting turns it on. */
export const ToolDialog = ({ server, tool, mayWrite, onClose }: ToolDialogProps) => {
  const { name, state, definition, definition_hash, accepted, problem } = tool;
  const accept = useChange(
    (hash: string) =>
      dataOf(
        api.POST('/actions/mcp/{name}/accept', {
          params: { path: { name: server } },
          body: { tools: [{ name, definition_hash: hash }] },
        }),
      ),
    { stale: [mcpServersQuery.queryKey, actionsQuery.queryKey], says: `${name} is accepted` },
  );
  const canAccept = mayWrite && definition_hash !== null && (state === 'new' || state === 'changed');
  return (
    <Dialog title={name} onClose={onClose} className="w-[44rem]">
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (definition_hash !== null) accept.mutate(definition_hash, { onSuccess: onClose });
        }}
      >
        {problem !== null && <p className="rounded-md bg-bad p-3 text-bad-text">{problem}</p>}
        {state === 'changed' && accepted !== null && definition !== null && (
          <section aria-label="What has changed">
            <h3 className="mb-1 text-xs text-quiet">What has changed since it was accepted</h3>
            <DiffView lines={withoutSame(diffOf(linesOf(accepted), linesOf(definition)))} wraps />
          </section>
        )}
        <JsonView title="Definition" value={definition ?? accepted} />
        {canAccept && (
          <>
            <p className="text-quiet">Nothing can call it until you accept it as it is here.</p>
            <FormEnd request={accept}>Accept this definition</FormEnd>
          </>
        )}
      </form>
    </Dialog>
  );
};
