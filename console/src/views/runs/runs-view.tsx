import { useTitle } from '../../shell/use-title.js';

export function RunsView() {
  useTitle('Runs');
  return <h1>Runs</h1>;
}
