import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { JsonObject, KubeObject } from '@orrery/kinds'
import { altNamesOf, createAuthority, DistinguishedName, generateKey, issueLeaf } from '@orrery/kube/pki'
import { CONFIG_MAPS } from '../controllers/resources.js'
import type { InnerServer } from '../testing/inner-server.fixture.js'

/** A review that a test webhook received. */
export interface AskedReview {
  readonly path: string
  readonly request: JsonObject & { readonly uid: string; readonly object: KubeObject; readonly oldObject: KubeObject }
  readonly review: JsonObject
}

/** Answers a review: the response without its UID, a status code and text to fail with, or nothing. */
export type Answer = (asked: AskedReview) => Answered | Promise<Answered>

type Answered = JsonObject | { readonly fail: number; readonly text: string } | 'silence'

export interface TestWebhook {
  readonly url: string
  readonly port: number
  /** Base64, as in `caBundle`. */
  readonly caBundle: string
  /** The same for the webhook's own certificate. */
  readonly ownBundle: string
  readonly asked: AskedReview[]
}

const HOUR = 3_600_000

/**
 * Starts an HTTPS server that answers admission reviews, with a certificate for localhost and Services named `hook`.
 */
export async function startWebhook(t: TestContext, answer: Answer): Promise<TestWebhook> {
  const [notBefore, notAfter] = [new Date(Date.now() - HOUR), new Date(Date.now() + HOUR)]
  const authority = createAuthority('webhook-ca', generateKey().privateKey, notBefore, notAfter)
  const { certificate: cert, key } = issueLeaf(authority, {
    subject: DistinguishedName.of('webhook'),
    altNames: altNamesOf(['localhost', '127.0.0.1', 'hook.a.svc']),
    usages: ['digital signature', 'server auth'],
    notBefore,
    notAfter,
  })
  const asked: AskedReview[] = []
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', async () => {
      const review = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const one = { path: incoming.url ?? '', review, request: review.request }
      asked.push(one)
      const response = await answer(one)
      if (response === 'silence') return
      if (typeof response.fail === 'number') outgoing.writeHead(response.fail).end(response.text)
      else {
        const { apiVersion, kind } = review
        outgoing.writeHead(200, { 'content-type': 'application/json' })
        outgoing.end(JSON.stringify({ apiVersion, kind, response: { uid: one.request.uid, ...response } }))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const caBundle = Buffer.from(authority.certificatePem).toString('base64')
  const ownBundle = Buffer.from(cert).toString('base64')
  return { url: `https://localhost:${port}/review`, port, caBundle, ownBundle, asked }
}

/** Returns a patch as in a response. */
export function patchOf(...operations: JsonObject[]): JsonObject {
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') }
}

const group = 'admissionregistration.k8s.io'
export const CONFIGURATIONS = {
  Mutating: { group, resource: 'mutatingwebhookconfigurations' },
  Validating: { group, resource: 'validatingwebhookconfigurations' },
}
export const CONFIG_MAP_RULE = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }

/** Creates the configuration of a webhook for ConfigMaps. */
export async function configure(
  server: InnerServer,
  kind: 'Mutating' | 'Validating',
  name: string,
  hook: TestWebhook,
  spec: JsonObject = {},
): Promise<KubeObject> {
  return server.client.create(CONFIGURATIONS[kind], {
    apiVersion: `${group}/v1`,
    kind: `${kind}WebhookConfiguration`,
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: hook.url, caBundle: hook.caBundle },
        rules: [CONFIG_MAP_RULE],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...spec,
      },
    ],
  })
}

export const configMap = (name: string, extra: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'a', name, ...extra },
})

export const create = (server: InnerServer, object: KubeObject) => server.client.create(CONFIG_MAPS, object)
