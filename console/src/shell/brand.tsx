/** The logo: a stop on a track. */
export function Brand() {
  return (
    <div className="brand">
      <svg viewBox="0 0 22 22" aria-hidden="true">
        <path className="track" d="M1 11h20" />
        <circle className="stop" cx="11" cy="11" r="5.5" />
        <circle className="signal" cx="11" cy="11" r="2" />
      </svg>
      Waystation
    </div>
  );
}
