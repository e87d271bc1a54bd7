import './main.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client';
import { createRecoveringCache } from './api/refetching/after-outages';
import { createConsoleRouter } from './app/router';

const MAX_RETRIES = 2;

/**
 * A page opened before the server got a newer console no longer finds its old files. If only the network is away, it stays
 * as it is.
 */
async function loadNewerConsole(): Promise<void> {
  const answer = await fetch('/console/').catch(() => undefined);
  const isOther = answer?.ok === true && !(await answer.text()).includes(new URL(import.meta.url).pathname);
  if (isOther) window.location.reload();
}
window.addEventListener('vite:preloadError', () => void loadNewerConsole());

const client: QueryClient = new QueryClient({
  queryCache: createRecoveringCache(() => client),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < MAX_RETRIES && !(error instanceof ApiError && error.status < 500),
    },
  },
});

const router = createConsoleRouter(client);
const root = document.getElementById('root');
if (root === null) throw new Error('The page has no place for the console');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
