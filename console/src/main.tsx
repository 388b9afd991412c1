import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nProvider } from 'react-aria-components';
import { createQueryClient } from './api/query-client.js';
import { createConsoleRouter } from './router.js';
import { beginSession } from './session/session.js';
import { SignedIn } from './shell/sign-in/signed-in.js';

// Before the router starts: it must not see the code in the address.
beginSession();
const queries = createQueryClient();
const router = createConsoleRouter(queries);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <I18nProvider locale="en-US">
      <QueryClientProvider client={queries}>
        <SignedIn>
          <RouterProvider router={router} />
        </SignedIn>
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
