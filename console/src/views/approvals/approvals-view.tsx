import { useTitle } from '../../shell/use-title.js';

export function ApprovalsView() {
  useTitle('Approvals');
  return <h1>Approvals</h1>;
}
