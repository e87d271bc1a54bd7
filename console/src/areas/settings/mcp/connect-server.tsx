import { api, dataOf, type Schemas } from '../../../api/client';
import { actionsQuery, mcpServersQuery } from '../../../api/settings';
import { headersIn, type Specs } from '../../../ui/forms/spec';
import { SpecDialog } from '../frame/spec-dialog';
import { useChange } from '../frame/use-change';

const SPECS: Specs = {
  name: { kind: 'text', label: 'Name', isRequired: true, maxLength: 40, placeholder: 'shop' },
  url: { kind: 'text', type: 'url', label: 'Address', isRequired: true, maxLength: 2048 },
  headers: { kind: 'lines', label: 'Headers, one a line: Authorization: Bearer …', rows: 2 },
};

/** Connects a server. Its tools are held until each is accepted. */
export const ConnectServer = ({ onClose }: { onClose: () => void }) => {
  const connect = useChange((body: Schemas['ConnectMcpServer']) => dataOf(api.POST('/actions/mcp', { body })), {
    stale: [mcpServersQuery.queryKey, actionsQuery.queryKey],
    says: 'Connected. Review its tools, then accept them',
  });
  return (
    <SpecDialog
      title="Connect an MCP server"
      action="Connect"
      specs={SPECS}
      stored={{}}
      save={connect}
      onSave={(values) =>
        connect.mutate(
          {
            name: String(values.name ?? '').trim(),
            url: String(values.url ?? '').trim(),
            headers: headersIn(String(values.headers ?? '')),
          },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    />
  );
};
