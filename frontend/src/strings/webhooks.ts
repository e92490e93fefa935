/** Every sentence of the webhooks' page, in one place, ready for a second language. */
import type { components } from '@/generated/api'

type Status = components['schemas']['DeliveryStatus']

const statuses: Readonly<Record<Status, string>> = {
  pending: 'pending',
  delivered: 'delivered',
  failed: 'failed',
}

export const webhookStrings = {
  title: 'Webhooks',
  lead: 'A webhook sends a signed message to your address when one of your trainings or evaluations succeeds or fails.',
  how: 'How to check the signature',
  sample: `import hashlib, hmac, time

def came_from_the_studio(header: str, body: bytes, secret: str) -> bool:
    parts = [part.split("=", 1) for part in header.split(",")]
    at = dict(parts)["t"]
    if abs(time.time() - int(at)) > 300:
        return False  # an old request, sent again
    signed = at.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return any(hmac.compare_digest(expected, code) for name, code in parts if name == "v1")`,
  sampleLead: 'The header is X-MAS-Studio-Signature. Sign the raw body, before you parse it.',
  add: 'Add webhook',
  save: 'Save',
  editTitle: (name: string) => `Edit ${name}`,
  name: 'Name',
  nameHelp: 'What gets the messages, for example “team chat”.',
  url: 'Address',
  urlHelp: 'http or https. The studio sends a POST and follows no redirects.',
  isPrivate: 'Allow private addresses',
  privateHelp: 'Tick this for a receiver on this machine or network. It needs the group “curator”.',
  secretTitle: 'Copy the secret now',
  secretBody:
    'Your receiver uses the secret to check that a message comes from the studio. You see it only now; you can make a new one later.',
  done: 'I have copied it',
  emptyTitle: 'No webhook yet',
  emptyBody: 'Training takes hours. Get notified in your chat, pager or pipeline when it finishes.',
  on: 'on',
  off: 'off',
  switchOn: 'Switch on',
  switchOff: 'Switch off',
  test: 'Send a test',
  testing: 'Sending…',
  taken: (status: number | null, milliseconds: number) =>
    `Delivered: the receiver responded ${status ?? ''} in ${milliseconds.toLocaleString('en')} ms.`,
  rotate: 'Make new secret',
  rotateTitle: (name: string) => `Make a new secret for ${name}?`,
  rotateBody:
    'For 24 hours the studio signs messages with both secrets, so that you can update your receiver. Then it uses only the new one.',
  oldSecret: 'The old secret is used, too, until',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteBody: 'The studio then sends no more messages to it, not even pending ones.',
  last: 'Last delivery',
  never: 'none so far',
  lastTaken: (status: number | null) => `delivered (${status ?? ''})`,
  lastFailed: 'failed',
  deliveries: 'Deliveries',
  noDeliveries: 'No delivery yet.',
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
