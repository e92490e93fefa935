/** Every sentence of the webhooks' page, in one place, ready for a second language. */
import type { components } from '@/generated/api'

type Status = components['schemas']['DeliveryStatus']

const statuses: Readonly<Record<Status, string>> = {
  pending: 'on its way',
  delivered: 'delivered',
  failed: 'given up',
}

export const webhookStrings = {
  title: 'Webhooks',
  lead: 'An address of yours gets a signed message when a training or an evaluation of yours has succeeded or failed.',
  how: 'How to check the signature',
  sample: `import hashlib, hmac, time

def came_from_the_studio(header: str, body: bytes, secret: str) -> bool:
    parts = [part.split("=", 1) for part in header.split(",")]
    at = dict(parts)["t"]
    if abs(time.time() - int(at)) > 300:
        return False  # an old request that somebody sends once more
    signed = at.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return any(hmac.compare_digest(expected, code) for name, code in parts if name == "v1")`,
  sampleLead:
    'The header is X-MAS-Studio-Signature; sign the body as it came, before it is parsed.',
  add: 'Add webhook',
  save: 'Save',
  editTitle: (name: string) => `Edit ${name}`,
  name: 'Name',
  nameHelp: 'What it tells, for example “team chat”.',
  url: 'Address',
  urlHelp: 'http or https. It gets a POST; redirects are not followed.',
  isPrivate: 'Allow private addresses',
  privateHelp: 'For a receiver on this machine or network, as long as you are a curator.',
  secretTitle: 'Copy the secret now',
  secretBody:
    'Your receiver checks with it that a message comes from the studio. It is shown once; you can make another later.',
  done: 'I have copied it',
  emptyTitle: 'No webhook yet',
  emptyBody:
    'Training takes hours. Let your chat, your pager or your pipeline know when it is over, instead of looking.',
  on: 'on',
  off: 'off',
  switchOn: 'Switch on',
  switchOff: 'Switch off',
  test: 'Send a test',
  testing: 'Sending…',
  taken: (status: number | null, milliseconds: number) =>
    `Taken: the receiver answered ${status ?? ''} in ${milliseconds.toLocaleString('en')} ms.`,
  rotate: 'New secret',
  rotateTitle: (name: string) => `Another secret for ${name}?`,
  rotateBody:
    'For 24 hours messages are signed with both, so that your receiver has time to learn it; then the old one signs nothing.',
  oldSecret: 'The old secret signs too until',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteBody: 'What has not been delivered yet is not sent any more.',
  last: 'Last delivery',
  never: 'none so far',
  lastTaken: (status: number | null) => `taken (${status ?? ''})`,
  lastFailed: 'failed',
  deliveries: 'Deliveries',
  noDeliveries: 'Nothing has been sent yet.',
  aTest: 'Test',
  statuses,
  tries: (count: number) => (count === 1 ? '1 try' : `${count} tries`),
  next: 'next try',
  resend: 'Send again',
  resendOf: (event: string, job: string) => `Send again: ${event}, ${job}`,
  events: {
    'training.succeeded': 'training succeeded',
    'training.failed': 'training failed',
    'evaluation.succeeded': 'evaluation succeeded',
    'evaluation.failed': 'evaluation failed',
    test: 'test',
  } as Readonly<Record<string, string>>,
} as const
