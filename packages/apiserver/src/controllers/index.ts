import { apiServices } from './api-services.js'
import { authenticationInfo } from './authentication-info.js'
import { bootstrapTokens } from './bootstrap-tokens.js'
import type { Controller, ControllerContext } from './controller.js'
import { customResourceDefinitions } from './crd.js'
import { certificateSigner } from './csr.js'
import { certificateCleaner } from './csr-cleaner.js'
import { eventExpiry } from './event-ttl.js'
import { flowControlBootstrap, flowSchemaStatus } from './flowcontrol.js'
import { garbageCollector } from './garbage/collector.js'
import { defaultServiceCidr, serviceIpAddresses } from './ipaddresses.js'
import { kubernetesService } from './kubernetes-service.js'
import { namespaces } from './namespace.js'
import { systemPriorityClasses } from './priorityclasses.js'
import { quotaStatus } from './quota-status.js'
import { rbacPolicy } from './rbac-policy.js'
import { roleAggregation } from './role-aggregation.js'
import { rootCertificates } from './root-ca.js'
import { defaultServiceAccounts } from './service-account.js'
import { serviceAccountTokens } from './service-account-token.js'
import { claimProtection, volumeProtection } from './storage-protection.js'
import { systemNamespaces } from './system-namespaces.js'

/** Controllers in stages: each stage starts after the previous one has reconciled everything once. */
const STAGES: readonly (readonly ((context: ControllerContext) => Controller)[])[] = [
  [customResourceDefinitions, systemNamespaces],
  [
    rbacPolicy,
    namespaces,
    defaultServiceAccounts,
    rootCertificates,
    authenticationInfo,
    kubernetesService,
    defaultServiceCidr,
    serviceIpAddresses,
    systemPriorityClasses,
    flowControlBootstrap,
    flowSchemaStatus,
    apiServices,
    serviceAccountTokens,
    bootstrapTokens,
    certificateSigner,
    certificateCleaner,
    eventExpiry,
    garbageCollector,
    quotaStatus,
    claimProtection,
    volumeProtection,
  ],
  [roleAggregation],
]

/** The running controllers of a server. */
export interface Controllers {
  /** Resolves after all of them have reconciled the initial state. */
  ready(): Promise<void>
  stop(): Promise<void>
}

/** Starts all controllers. */
export function startControllers(context: ControllerContext): Controllers {
  const started: Controller[] = []
  let stopped = false
  const start = async () => {
    for (const stage of STAGES) {
      if (stopped) return
      const controllers = stage.map((make) => make(context))
      started.push(...controllers)
      for (const controller of controllers) controller.start()
      await Promise.all(controllers.map((controller) => controller.ready()))
    }
  }
  const ready = start()
  return {
    ready: () => ready,
    async stop() {
      stopped = true
      await Promise.all(started.map((controller) => controller.stop()))
      await ready
    },
  }
}

export { ChangeFeed } from '../store/change-feed.js'
export type { ControllerContext } from './controller.js'
