import { useTitle } from '../../shell/use-title.js';

export function ThreadView() {
  useTitle('Thread');
  return <h1>Thread</h1>;
}
