/** How a service signs its requests. */
export interface SignaturePreset {
  readonly header: string;
  /** What is signed: `{body}`, `{timestamp}`, `{header:NAME}`, and text. */
  readonly signed: string;
  /** The header with the time; null if the signature's header has it as `t=`. */
  readonly timestamp: string | null;
  /** The labels of signatures that count; others are ignored. Empty for none. */
  readonly labels: readonly string[];
  /** The encoding of the secret. */
  readonly key: 'text' | 'base64';
  readonly deliveryId: string | null;
}

const OF_BODY = { signed: '{body}', timestamp: null, key: 'text' } as const;
/** Services that sign with HMAC-SHA256, as documented. */
export const SIGNATURE_PRESETS = {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries, and "Delivery headers" in
  // https://docs.github.com/en/webhooks/webhook-events-and-payloads, read 2026-11-26
  github: {
    ...OF_BODY,
    ...{ header: 'X-Hub-Signature-256', labels: ['sha256'], deliveryId: '{header:X-GitHub-Delivery}' },
  },
  // https://linear.app/developers/webhooks#securing-webhooks, from secondary sources (read 2026-11-26; the page itself was unreachable)
  linear: { ...OF_BODY, header: 'Linear-Signature', labels: [''], deliveryId: '{header:Linear-Delivery}' },
  // https://shopify.dev/docs/apps/build/webhooks/verify-deliveries and .../ignore-duplicates, read 2026-11-26
  shopify: {
    ...OF_BODY,
    ...{ header: 'X-Shopify-Hmac-SHA256', labels: [''], deliveryId: '{header:X-Shopify-Webhook-Id}' },
  },
  // https://docs.stripe.com/webhooks/signature#verify-manually, from secondary sources (read 2026-11-26). Schemes other than v1 must be
  // ignored.
  stripe: {
    ...{ header: 'Stripe-Signature', signed: '{timestamp}.{body}', timestamp: null },
    ...{ labels: ['v1'], key: 'text', deliveryId: '{/id}' },
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack, read 2026-11-26
  slack: {
    ...{ header: 'X-Slack-Signature', signed: 'v0:{timestamp}:{body}', timestamp: 'X-Slack-Request-Timestamp' },
    ...{ labels: ['v0'], key: 'text', deliveryId: '{/event_id}' },
  },
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, as libraries
  // implement it (read 2026-11-26)
  standard: {
    ...{
      header: 'webhook-signature',
      signed: '{header:webhook-id}.{timestamp}.{body}',
      timestamp: 'webhook-timestamp',
    },
    ...{ labels: ['v1'], key: 'base64', deliveryId: '{header:webhook-id}' },
  },
} as const satisfies Record<string, SignaturePreset>;

/** Services that send their secret unchanged. GitLab's signed hooks follow Standard Webhooks. */
export const TOKEN_PRESETS = {
  // https://docs.gitlab.com/user/project/integrations/webhooks/, "Delivery headers", as GitLab's merge requests describe it (read
  // 2026-11-26)
  gitlab: { header: 'X-Gitlab-Token', deliveryId: '{header:Idempotency-Key}' },
} as const;

export type AuthType = keyof typeof SIGNATURE_PRESETS | keyof typeof TOKEN_PRESETS | 'bearer' | 'hmac' | 'token';
