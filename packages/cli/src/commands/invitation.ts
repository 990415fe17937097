import { readFile } from 'node:fs/promises'
import { ManagedCluster } from '@orrery/api'
import {
  clientConfigOf,
  clientFrom,
  isConnectionError,
  isForbidden,
  isNotFound,
  isUnauthorized,
  type KubeClient,
  parseKubeconfig,
} from '@orrery/kube'
import { inWords } from '../systemerror.js'

export interface InvitationOptions {
  readonly hubApiserver: string
  readonly hubToken: string
  readonly caFile?: string
  readonly caData?: string
  readonly proxyUrl?: string
}

const PEM = /-----BEGIN CERTIFICATE-----/

/** The bootstrap kubeconfig for what was typed. */
export async function invitationFrom(options: InvitationOptions): Promise<string> {
  const { hubApiserver, hubToken: token, proxyUrl } = options
  if (!URL.canParse(hubApiserver) || new URL(hubApiserver).protocol !== 'https:') {
    throw new Error('--hub-apiserver must be a URL such as https://hub.example.com:6443')
  }
  const ca = await authorityOf(options)
  const { bootstrapKubeconfig } = await import('@orrery/agent')
  return bootstrapKubeconfig({
    server: hubApiserver,
    token,
    ...(ca !== undefined && { ca }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  })
}

async function authorityOf({ caFile, caData }: InvitationOptions): Promise<string | undefined> {
  if (caFile !== undefined && caData !== undefined) throw new Error('--ca-file and --ca-data say the same: use one')
  if (caFile === undefined && caData === undefined) return undefined
  const text =
    caFile === undefined ? Buffer.from(caData ?? '', 'base64').toString('utf8') : await readFile(caFile, 'utf8')
  if (!PEM.test(text)) {
    throw new Error(
      caFile === undefined ? '--ca-data is not a certificate in base64' : `${caFile} holds no certificate in PEM`,
    )
  }
  return text
}

/** How long a hub may take to answer, before anything is begun with it. */
const PATIENCE_MS = 15_000

/** A client of the hub with the credentials of an invitation, which have been tried. Failures say what to do next. */
export async function hubOfInvitation(kubeconfig: string, clusterName: string): Promise<KubeClient> {
  const config = clientConfigOf(await parseKubeconfig(kubeconfig))
  const client = await clientFrom(config, { userAgent: 'orrery-cli' })
  try {
    await client.find(ManagedCluster, { name: clusterName }, { signal: AbortSignal.timeout(PATIENCE_MS) })
    return client
  } catch (error) {
    client.close()
    throw new Error(`the hub at ${config.server} cannot be joined: ${inWords(error)}\n${adviceOn(error)}`, {
      cause: error,
    })
  }
}

function adviceOn(error: unknown): string {
  if (isUnauthorized(error)) return 'The token is wrong or has expired: get one with `orrery get token` on the hub.'
  if (isForbidden(error)) return 'The token is not one to join with: get one with `orrery get token` on the hub.'
  if (isNotFound(error)) return 'It is no hub: `orrery init` makes it one.'
  if (isConnectionError(error) && /certificate|self.signed|issuer|altname/i.test(error.message)) {
    return 'Name the authority of the hub with --ca-file or --ca-data: `orrery get token` on the hub prints it.'
  }
  return 'Check --hub-apiserver, and whether a proxy is in between (--proxy-url).'
}
