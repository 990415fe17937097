import test from 'node:test'
import { POD } from '../samples.fixture.js'
import { LABEL, QUALIFIED, refuses, SUBDOMAIN } from '../testing.fixture.js'

test("Pod: refuses invalid containers with kube-apiserver's messages", () => {
  refuses(POD, [
    ['spec.containers', [], 'spec.containers: Required value'],
    ['spec.containers', undefined, 'spec.containers: Required value'],
    ['spec.containers[0].name', 'A_B', `spec.containers[0].name: Invalid value: "A_B": ${LABEL}`],
    ['spec.containers[0].name', 'a.b', 'spec.containers[0].name: Invalid value: "a.b": must not contain dots'],
    ['spec.containers[0].name', '', 'spec.containers[0].name: Required value'],
    ['spec.containers[0].image', '', 'spec.containers[0].image: Required value'],
    [
      'spec.containers[0].image',
      ' nginx',
      'spec.containers[0].image: Invalid value: " nginx": must not have leading or trailing whitespace',
    ],
    [
      'spec.containers[0].imagePullPolicy',
      'Foo',
      'spec.containers[0].imagePullPolicy: Unsupported value: "Foo": supported values: "Always", "IfNotPresent", "Never"',
    ],
    [
      'spec.containers[0].terminationMessagePolicy',
      'x',
      'spec.containers[0].terminationMessagePolicy: Unsupported value: "x": supported values: "File", "FallbackToLogsOnError"',
    ],
    ['spec.containers[1]', { name: 'c', image: 'x' }, 'spec.containers[1].name: Duplicate value: "c"'],
    ['spec.containers[0].ports', [{ containerPort: 0 }], 'spec.containers[0].ports[0].containerPort: Required value'],
    [
      'spec.containers[0].ports',
      [{ containerPort: 70000, hostPort: -1 }],
      [
        'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
        'spec.containers[0].ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      'spec.containers[0].ports',
      [{ containerPort: 80, name: 'Bad_Name' }],
      'spec.containers[0].ports[0].name: Invalid value: "Bad_Name": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ],
    [
      'spec.containers[0].ports',
      [
        { containerPort: 80, name: 'a' },
        { containerPort: 81, name: 'a' },
      ],
      'spec.containers[0].ports[1].name: Duplicate value: "a"',
    ],
    [
      'spec.containers[0].ports',
      [{ containerPort: 80, protocol: 'ICMP' }],
      'spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
    ],
    [
      'spec.containers[0].ports',
      [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80 },
      ],
      'spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"',
    ],
    [
      'spec.containers[0].ports',
      [{ containerPort: 80, name: 'a-very-long-port-name' }],
      'spec.containers[0].ports[0].name: Invalid value: "a-very-long-port-name": must be no more than 15 characters',
    ],
    ['spec.containers[0].env', [{ name: '' }], 'spec.containers[0].env[0].name: Required value'],
    [
      'spec.containers[0].env',
      [{ name: 'A=B' }],
      `spec.containers[0].env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: {} }],
      'spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.foo' } } }],
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.foo": error converting fieldPath: field label not supported: spec.foo',
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } }],
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"',
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } }],
      `spec.containers[0].env[0].valueFrom.fieldRef: Invalid value: "a b": ${QUALIFIED}`,
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.name['x']" } } }],
      `spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name['x']": error converting fieldPath: field label does not support subscript: metadata.name['x']`,
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } } }],
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "metadata.name": error converting fieldPath: unsupported pod version: v2',
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '3m' } } }],
      `spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '-1' } } }],
      `spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.foo' } } }],
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.foo": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { secretKeyRef: { name: 'A_', key: '' } } }],
      [
        `spec.containers[0].env[0].valueFrom.secretKeyRef.name: Invalid value: "A_": ${SUBDOMAIN}`,
        'spec.containers[0].env[0].valueFrom.secretKeyRef.key: Required value',
      ],
    ],
    [
      'spec.containers[0].env',
      [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'a', key: 'a b' } } }],
      `spec.containers[0].env[0].valueFrom.configMapKeyRef.key: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    ],
    [
      'spec.containers[0].envFrom',
      [{}],
      'spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
    ],
    [
      'spec.containers[0].envFrom',
      [{ prefix: '=', configMapRef: { name: '' } }],
      [
        `spec.containers[0].envFrom[0].prefix: Invalid value: "=": a valid environment variable name must consist only of printable ASCII characters other than '='`,
        'spec.containers[0].envFrom[0].configMapRef.name: Required value',
      ],
    ],
    [
      'spec.containers[0].envFrom',
      [{ secretRef: { name: 'x' }, configMapRef: { name: 'y' } }],
      'spec.containers[0].envFrom: Invalid value: "": may not have more than one field specified at a time',
    ],
    [
      'spec.containers[0].volumeMounts',
      [{ name: 'x', mountPath: '/x' }],
      'spec.containers[0].volumeMounts[0].name: Not found: "x"',
    ],
    [
      'spec.containers[0].volumeMounts',
      [{ name: '', mountPath: '' }],
      [
        'spec.containers[0].volumeMounts[0].name: Required value',
        'spec.containers[0].volumeMounts[0].name: Not found: ""',
        'spec.containers[0].volumeMounts[0].mountPath: Required value',
      ],
    ],
    [
      'spec.containers[0].livenessProbe',
      {},
      'spec.containers[0].livenessProbe: Required value: must specify a handler type',
    ],
    [
      'spec.containers[0].livenessProbe',
      { tcpSocket: { port: 'x' }, exec: { command: ['a'] } },
      'spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
    ],
    [
      'spec.containers[0].livenessProbe',
      { exec: { command: ['a'] }, successThreshold: 2 },
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
    ],
    [
      'spec.containers[0].livenessProbe',
      { exec: {}, periodSeconds: -1 },
      [
        'spec.containers[0].livenessProbe.exec.command: Required value',
        'spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'spec.containers[0].readinessProbe',
      { exec: { command: ['a'] }, terminationGracePeriodSeconds: 3 },
      'spec.containers[0].readinessProbe.terminationGracePeriodSeconds: Invalid value: 3: must not be set for readinessProbes',
    ],
    [
      'spec.containers[0].livenessProbe',
      { httpGet: { port: 0, scheme: 'ftp', httpHeaders: [{ name: 'a b', value: 'c' }] } },
      [
        'spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive',
        'spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "ftp": supported values: "HTTP", "HTTPS"',
        `spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')`,
      ],
    ],
    [
      'spec.containers[0].lifecycle',
      { preStop: { sleep: { seconds: 100 } } },
      'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 100: must be non-negative and less than terminationGracePeriodSeconds (30)',
    ],
    [
      'spec.containers[0].lifecycle',
      { postStart: {} },
      'spec.containers[0].lifecycle.postStart: Required value: must specify a handler type',
    ],
    [
      'spec.containers[0].resources',
      { limits: { cpu: '1' }, requests: { cpu: '2' } },
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ],
    [
      'spec.containers[0].resources',
      { limits: { foo: '1' } },
      [
        'spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource for containers',
        'spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
        'spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers',
      ],
    ],
    [
      'spec.containers[0].resources',
      { limits: { 'a.b/c': '1.5' } },
      [
        'spec.containers[0].resources.limits[a.b/c]: Invalid value: "1500m": must be an integer',
        'spec.containers[0].resources.requests[a.b/c]: Invalid value: "1500m": must be an integer',
      ],
    ],
    [
      'spec.containers[0].resources',
      { requests: { 'a.b/c': '1' } },
      'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
    ],
    [
      'spec.containers[0].resources',
      { limits: { cpu: '-1' } },
      [
        'spec.containers[0].resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      ],
    ],
    [
      'spec.containers[0].resources',
      { limits: { 'hugepages-2Mi': '3Mi' } },
      [
        'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources.requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
        'spec.containers[0].resources: Forbidden: HugePages require cpu or memory',
      ],
    ],
    [
      'spec.containers[0].resources',
      { limits: { 'a b': '1' } },
      [
        `spec.containers[0].resources.limits[a b]: Invalid value: "a b": ${QUALIFIED}`,
        'spec.containers[0].resources.limits[a b]: Invalid value: "a b": must be a standard resource for containers',
        `spec.containers[0].resources.requests[a b]: Invalid value: "a b": ${QUALIFIED}`,
        'spec.containers[0].resources.requests[a b]: Invalid value: "a b": must be a standard resource for containers',
      ],
    ],
    [
      'spec.containers[0].resources',
      { claims: [{ name: 'x' }] },
      'spec.containers[0].resources.claims[0]: Not found: "x": must be one of the names in pod.spec.resourceClaims which is empty',
    ],
    [
      'spec.containers[0].securityContext',
      { runAsUser: -1 },
      'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
    [
      'spec.containers[0].securityContext',
      { privileged: true, allowPrivilegeEscalation: false },
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    ],
    [
      'spec.containers[0].securityContext',
      { seccompProfile: { type: 'X' } },
      'spec.containers[0].securityContext.seccompProfile.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
    [
      'spec.containers[0].securityContext',
      { seccompProfile: { type: 'Localhost' } },
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
    ],
    [
      'spec.containers[0].securityContext',
      { procMount: 'Unmasked' },
      'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ],
    [
      'spec.containers[0].securityContext',
      { appArmorProfile: { type: 'RuntimeDefault', localhostProfile: 'x' } },
      'spec.containers[0].securityContext.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
    ],
    ['spec.initContainers', [{ name: 'c', image: 'x' }], 'spec.initContainers[0].name: Duplicate value: "c"'],
    [
      'spec.initContainers',
      [{ name: 'i', image: 'x', livenessProbe: { exec: { command: ['a'] } } }],
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
    [
      'spec.initContainers',
      [{ name: 'i', image: 'x', restartPolicy: 'Foo' }],
      'spec.initContainers[0].restartPolicy: Unsupported value: "Foo": supported values: "Always", "Never", "OnFailure"',
    ],
    [
      'spec.ephemeralContainers',
      [{ name: 'e', image: 'x' }],
      'spec.ephemeralContainers: Forbidden: cannot be set on create',
    ],
  ])
})
