type Sample = Readonly<Record<string, unknown>>

const container = { name: 'main', image: 'example.test/image:1', ports: [{ containerPort: 80, name: 'http' }] }
const podSpec = { containers: [container] }
const podTemplate = { metadata: { labels: { app: 'a' } }, spec: podSpec }
const selector = { matchLabels: { app: 'a' } }
const jobSpec = { template: { spec: { ...podSpec, restartPolicy: 'Never' } } }
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]
const subjects = [{ kind: 'User', name: 'somebody', apiGroup: 'rbac.authorization.k8s.io' }]
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }
const webhook = {
  name: 'hook.example.test',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Ignore',
  timeoutSeconds: 1,
  clientConfig: { url: 'https://localhost:1/hook' },
  rules: [{ apiGroups: ['fuzz.example.test'], apiVersions: ['v1'], resources: ['nothings'], operations: ['CREATE'] }],
}

/** A valid object of every stored kind, without its name: the start of mutations. By `plural.group`. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  'configmaps.': { data: { key: 'value' }, binaryData: { raw: 'AAEC' } },
  'endpoints.': { subsets: [{ addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80, name: 'http' }] }] },
  'events.': {
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    reason: 'R',
    message: 'm',
    type: 'Normal',
  },
  'limitranges.': { spec: { limits: [{ type: 'Container', default: { cpu: '1' }, max: { cpu: '2' } }] } },
  'namespaces.': {},
  'nodes.': { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] }, status: { capacity: { cpu: '4' } } },
  'persistentvolumeclaims.': {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  'persistentvolumes.': {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/tmp/x' } },
  },
  'pods.': { spec: podSpec },
  'podtemplates.': { template: podTemplate },
  'replicationcontrollers.': { spec: { replicas: 0, selector: { app: 'a' }, template: podTemplate } },
  'resourcequotas.': { spec: { hard: { pods: '1000' } } },
  'secrets.': { type: 'Opaque', data: { password: 'aHVudGVyMg==' } },
  'serviceaccounts.': { secrets: [{ name: 's' }] },
  'services.': { spec: { selector: { app: 'a' }, ports: [{ port: 80, name: 'http', protocol: 'TCP' }] } },
  'controllerrevisions.apps': { revision: 1, data: { any: 'thing' } },
  'daemonsets.apps': { spec: { selector, template: podTemplate } },
  'deployments.apps': { spec: { replicas: 0, selector, template: podTemplate } },
  'replicasets.apps': { spec: { replicas: 0, selector, template: podTemplate } },
  'statefulsets.apps': { spec: { replicas: 0, serviceName: 's', selector, template: podTemplate } },
  'events.events.k8s.io': {
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'c.example.test/x',
    reportingInstance: 'i',
    action: 'A',
    reason: 'R',
    type: 'Normal',
    regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
  },
  'horizontalpodautoscalers.autoscaling': {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  },
  'cronjobs.batch': { spec: { schedule: '*/5 * * * *', suspend: true, jobTemplate: { spec: jobSpec } } },
  'jobs.batch': { spec: jobSpec },
  'ingressclasses.networking.k8s.io': { spec: { controller: 'example.test/c' } },
  'ingresses.networking.k8s.io': {
    spec: {
      rules: [
        {
          host: 'h.example.test',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  'networkpolicies.networking.k8s.io': {
    spec: { podSelector: selector, policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 80, protocol: 'TCP' }] }] },
  },
  'poddisruptionbudgets.policy': { spec: { minAvailable: '50%', selector } },
  'clusterrolebindings.rbac.authorization.k8s.io': { roleRef, subjects },
  'clusterroles.rbac.authorization.k8s.io': { rules },
  'rolebindings.rbac.authorization.k8s.io': { roleRef, subjects },
  'roles.rbac.authorization.k8s.io': { rules },
  'csidrivers.storage.k8s.io': { spec: { attachRequired: false } },
  'csinodes.storage.k8s.io': { spec: { drivers: [{ name: 'd.example.test', nodeID: 'n' }] } },
  'csistoragecapacities.storage.k8s.io': { storageClassName: 's', capacity: '1Gi' },
  'storageclasses.storage.k8s.io': { provisioner: 'p.example.test', parameters: { a: 'b' } },
  'volumeattachments.storage.k8s.io': {
    spec: { attacher: 'a.example.test', nodeName: 'n', source: { persistentVolumeName: 'p' } },
  },
  'volumeattributesclasses.storage.k8s.io': { driverName: 'd.example.test', parameters: { a: 'b' } },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks: [webhook] },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks: [webhook] },
  'priorityclasses.scheduling.k8s.io': { value: 10, description: 'd' },
  'leases.coordination.k8s.io': {
    spec: { holderIdentity: 'h', leaseDurationSeconds: 10, renewTime: '2026-01-01T00:00:00.000000Z' },
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    spec: {
      priorityLevelConfiguration: { name: 'workload-low' },
      matchingPrecedence: 5000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: 'u' } }],
          resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['default'] }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }],
        },
      ],
    },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 1,
        limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 2, queueLengthLimit: 5 } },
      },
    },
  },
  'runtimeclasses.node.k8s.io': { handler: 'h' },
  'endpointslices.discovery.k8s.io': {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.1.1'], conditions: { ready: true } }],
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  },
  'apiservices.apiregistration.k8s.io': {
    metadata: { name: 'v1.fuzz.example.test' },
    spec: {
      group: 'fuzz.example.test',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 's' },
    },
  },
  'ipaddresses.networking.k8s.io': {
    metadata: { name: '192.168.7.7' },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 's' } },
  },
  'servicecidrs.networking.k8s.io': { spec: { cidrs: ['192.168.0.0/24'] } },
  'customresourcedefinitions.apiextensions.k8s.io': {
    metadata: { name: 'gadgets.fuzz.example.test' },
    spec: {
      group: 'fuzz.example.test',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
          additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.spec.n' }],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  required: ['n'],
                  properties: {
                    n: { type: 'integer', minimum: 0, default: 1 },
                    s: { type: 'string', pattern: '^a+$' },
                  },
                },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
        },
      ],
    },
  },
}
