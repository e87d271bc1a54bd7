import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, dataOf, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/may';
import { actionsQuery, mcpServersQuery } from '../../../api/settings';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog';
import { Button, Chip, Empty, failureOf } from '../../../ui/parts';
import { Section } from '../../../ui/section';
import { Ago } from '../../../ui/times/ago';
import { ActionDialog } from '../actions/action-dialog';
import { SharedValues } from '../actions/shared-values';
import { TestDialog } from '../actions/test-dialog';
import { useRowActions } from '../frame/row-actions';
import { Rows } from '../frame/rows';
import { SettingsPage } from '../frame/settings-page';
import { useChange } from '../frame/use-change';
import { ConnectServer } from './connect-server';
import { ToolDialog } from './tool-dialog';

type Action = Schemas['Action'];
type Server = Schemas['McpServer'];
type Tool = Schemas['McpTool'];

const TOOL_STATES: Record<Tool['state'], { name: string; tone: 'plain' | 'good' | 'warn' | 'bad' }> = {
  new: { name: 'New, held', tone: 'warn' },
  accepted: { name: 'Accepted', tone: 'good' },
  changed: { name: 'Changed, held', tone: 'warn' },
  gone: { name: 'Gone', tone: 'plain' },
  unusable: { name: 'Unusable', tone: 'bad' },
};

const STALE = [mcpServersQuery.queryKey, actionsQuery.queryKey];

/** What the AI and workflows can call. */
export const Actions = () => {
  const actions = useQuery(actionsQuery);
  const servers = useQuery(mcpServersQuery);
  const mayWrite = useMay('actions:write');
  const [isConnecting, connect] = useState(false);
  const [tested, test] = useState<Action>();
  const { add, actionsOf, dialogs } = useRowActions<Action>({
    nameOf: ({ name }) => name,
    more: (action) => (
      <Button aria-label={`Test ${action.name}`} onClick={() => test(action)}>
        Test
      </Button>
    ),
    form: (existing, onClose) => <ActionDialog existing={existing} onClose={onClose} />,
    remove: {
      what: 'the action',
      says: 'Workflows that use it fail there, and the AI no longer calls it.',
      run: ({ id }) => dataOf(api.DELETE('/actions/{id}', { params: { path: { id } } })),
      stale: STALE,
    },
  });
  return (
    <SettingsPage
      title="Actions"
      query={actions}
      actions={
        mayWrite && (
          <>
            <Button onClick={() => connect(true)}>Connect an MCP server</Button>
            <Button look="main" onClick={add}>
              New action
            </Button>
          </>
        )
      }
    >
      {failureOf(servers)}
      {servers.data?.map((server) => (
        <ServerSection key={server.name} server={server} mayWrite={mayWrite} />
      ))}
      {actions.data?.length === 0 && (
        <Empty title="No action yet">An action is an HTTP request that the AI or a workflow can make.</Empty>
      )}
      {actions.data !== undefined && actions.data.length > 0 && (
        <Rows
          label="Actions"
          items={actions.data}
          keyOf={({ id }) => id}
          actions={(action) => mayWrite && action.connection?.kind !== 'mcp' && actionsOf(action)}
        >
          {(action) => <ActionRow action={action} />}
        </Rows>
      )}
      <SharedValues />
      {tested !== undefined && <TestDialog action={tested} onClose={() => test(undefined)} />}
      {dialogs}
      {isConnecting && <ConnectServer onClose={() => connect(false)} />}
    </SettingsPage>
  );
};

const ServerSection = ({ server, mayWrite }: { server: Server; mayWrite: boolean }) => {
  const { name, url, tools, listed_at } = server;
  const [shown, show] = useState<Tool>();
  const [isLeaving, askToLeave] = useState(false);
  const params = { path: { name } };
  const refresh = useChange(() => dataOf(api.POST('/actions/mcp/{name}/refresh', { params })), {
    stale: STALE,
    says: 'The tools are listed again',
    isQuick: true,
  });
  const leave = useChange(() => dataOf(api.DELETE('/actions/mcp/{name}', { params })), {
    stale: STALE,
    says: 'Disconnected',
    isQuick: true,
  });
  return (
    <Section
      title={`MCP server ${name}`}
      actions={
        mayWrite && (
          <>
            <Button disabled={refresh.isPending} onClick={() => refresh.mutate(undefined)}>
              {refresh.isPending ? 'Asking' : 'List again'}
            </Button>
            <Button look="quiet" aria-label={`Disconnect ${name}`} onClick={() => askToLeave(true)}>
              Disconnect
            </Button>
          </>
        )
      }
    >
      <div className="space-y-3 p-4">
        <p className="text-xs break-all text-quiet">
          {url}
          {listed_at !== null && (
            <>
              {' · listed '}
              <Ago at={listed_at} />
            </>
          )}
        </p>
        <Rows
          label={`Tools of ${name}`}
          items={tools}
          keyOf={(tool) => tool.name}
          actions={(tool) => (
            <Button aria-label={`Show ${tool.name}`} onClick={() => show(tool)}>
              Show
            </Button>
          )}
        >
          {(tool) => (
            <p className="flex flex-wrap items-center gap-2">
              <span className="min-w-0 font-medium break-words">{tool.name}</span>
              <Chip tone={TOOL_STATES[tool.state].tone}>{TOOL_STATES[tool.state].name}</Chip>
              <Quiet>
                {tool.problem ?? (tool.changes.length > 0 ? `differs in ${tool.changes.join(', ')}` : null)}
              </Quiet>
            </p>
          )}
        </Rows>
      </div>
      {shown !== undefined && (
        <ToolDialog server={name} tool={shown} mayWrite={mayWrite} onClose={() => show(undefined)} />
      )}
      {isLeaving && (
        <ConfirmDialog
          title={`Disconnect ${name}`}
          action="Disconnect"
          onConfirm={() => leave.mutate(undefined)}
          onClose={() => askToLeave(false)}
        >
          Its tools are deleted, and nothing can call them any more.
        </ConfirmDialog>
      )}
    </Section>
  );
};

const Quiet = ({ children }: { children: ReactNode }) =>
  children === null ? null : <span className="min-w-0 text-xs break-words text-quiet">{children}</span>;

const ActionRow = ({ action }: { action: Action }) => (
  <>
    <p className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 font-medium break-words">{action.name}</span>
      {action.held && <Chip tone="warn">Held</Chip>}
      {action.confirm === 'always' && <Chip>Asks a person</Chip>}
      {action.read_only && <Chip>Only reads</Chip>}
      {action.requires_verified && <Chip>Verified customers</Chip>}
    </p>
    <p className="text-xs break-all text-quiet">
      {action.request_type} {action.api_endpoint}
    </p>
    {action.description !== null && <p className="break-words text-quiet">{action.description}</p>}
  </>
);
