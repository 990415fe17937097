import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { ValidatingWebhookConfiguration } from '@orrery/kinds'
import { altNamesOf, createAuthority, DistinguishedName, generateKey, issueLeaf } from '@orrery/kube/pki'
import type { Side } from './work-pair.js'

const HOUR = 3_600_000

export interface Guard {
  /** The name of the webhook. */
  readonly name: string
  readonly group: string
  readonly resource: string
  /** The message of its denials; if absent, nothing answers. */
  readonly denial?: string
}

/** Registers a webhook for one resource. */
export async function guard(t: Pick<TestContext, 'after'>, side: Side, options: Guard): Promise<void> {
  const { name, group, resource, denial } = options
  const { url, caBundle } = denial === undefined ? NOBODY : await startDenying(t, denial)
  await side.client.create(ValidatingWebhookConfiguration, {
    metadata: { name },
    webhooks: [
      {
        name,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url, ...(caBundle !== '' && { caBundle }) },
        rules: [{ apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [resource] }],
      },
    ],
  })
}

/** The discard port, where nothing listens. */
const NOBODY = { url: 'https://127.0.0.1:9/', caBundle: '' }

async function startDenying(t: Pick<TestContext, 'after'>, message: string): Promise<typeof NOBODY> {
  const [notBefore, notAfter] = [new Date(Date.now() - HOUR), new Date(Date.now() + HOUR)]
  const authority = createAuthority('guard-ca', generateKey().privateKey, notBefore, notAfter)
  const { certificate: cert, key } = issueLeaf(authority, {
    subject: DistinguishedName.of('guard'),
    altNames: altNamesOf(['127.0.0.1']),
    usages: ['digital signature', 'server auth'],
    notBefore,
    notAfter,
  })
  const server = createServer({ key, cert }, async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const { apiVersion, kind, request } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const response = { uid: request.uid, allowed: false, status: { code: 403, message } }
    outgoing.setHeader('content-type', 'application/json')
    outgoing.end(JSON.stringify({ apiVersion, kind, response }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(authority.certificatePem).toString('base64') }
}
