import { visiblePieces } from '../lib/visible-text.js';
import './visible-text.css';

/** Text of a stranger: characters that hide or turn others around are drawn as their code points. */
export function VisibleText({ text }: { text: string }) {
  const pieces = visiblePieces(text);
  if (pieces.every(({ hidden }) => !hidden)) return text;
  return pieces.map((piece, index) =>
    piece.hidden ? (
      <span key={index} className="hidden-character" title="A character that cannot be seen">
        {piece.hidden}
      </span>
    ) : (
      piece.text
    ),
  );
}
