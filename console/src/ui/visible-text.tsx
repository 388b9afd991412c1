import { memo } from 'react';
import { visiblePieces } from '../lib/visible-text.js';
import './visible-text.css';

interface VisibleTextProps {
  text: string;
  /** For names and arguments, which people compare: also draws spaces other than the ordinary one. */
  isValue?: boolean;
}

/** Untrusted text: characters that are invisible or change the text's direction are drawn as their code points. */
export const VisibleText = memo(function VisibleText({ text, isValue = false }: VisibleTextProps) {
  const pieces = visiblePieces(text, isValue);
  if (pieces.every(({ hidden }) => hidden === undefined)) return text;
  return pieces.map((piece, index) =>
    piece.hidden === undefined ? (
      piece.text
    ) : (
      <span key={index} className="hidden-character" title={piece.meaning} dir="ltr">
        {piece.hidden}
      </span>
    ),
  );
});
