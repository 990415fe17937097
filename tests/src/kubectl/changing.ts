import { exactly, json, type Scenario } from './scenario.js'

/** `patch`, `edit`, `replace`, `label`, `annotate`, `scale` and `set`. */
export const changing: readonly Scenario[] = [
  {
    name: 'patch',
    steps: [
      { run: 'create -f deployment.yaml' },
      {
        run: `patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"server","image":"nginx:9"}]}}}}'`,
        out: 'deployment.apps/web patched',
      },
      {
        run: 'get deployment web -o json',
        out: json({ spec: { template: { spec: { containers: [{ image: 'nginx:9', env: [{ name: 'MODE' }] }] } } } }),
      },
      {
        run: `patch deployment web --type=merge -p '{"metadata":{"labels":{"app":null,"tier":"front"}}}'`,
        out: 'patched',
      },
      { run: "get deployment web -o jsonpath='{.metadata.labels}'", out: exactly('{"tier":"front"}') },
      {
        run: `patch deployment web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":7}]'`,
        out: 'patched',
      },
      { run: "get deployment web -o jsonpath='{.spec.replicas}'", out: exactly('7') },
      { run: `patch deployment web -p '{}'`, out: 'patched (no change)' },
      {
        run: `patch deployment web --type=json -p '[{"op":"test","path":"/spec/replicas","value":8}]'`,
        err: /testing value \/spec\/replicas failed|test failed|The request is invalid/i,
      },
      {
        run: `patch deployment web -p '{"spec":{"replicas":-1}}'`,
        err: 'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      },
      {
        run: `patch deployment web -p '{"metadata":{"name":"other"}}'`,
        err: 'the name of the object (other) does not match the name on the URL (web)',
      },
      { run: `patch deployment absent -p '{}'`, err: 'deployments.apps "absent" not found' },
      {
        run: `patch deployment web --subresource=status --type=merge -p '{"status":{"replicas":3}}'`,
        since: 27,
        out: 'patched',
      },
      {
        run: 'get deployment web --subresource=status -o json',
        since: 27,
        out: json({ spec: { replicas: 7 }, status: { replicas: 3 } }),
      },
      {
        run: `patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'`,
        since: 27,
        out: 'patched',
      },
      { run: "get deployment web -o jsonpath='{.spec.replicas}'", since: 27, out: exactly('2') },
    ],
  },
  {
    name: 'edit and replace',
    steps: [
      { run: 'create -f maps.yaml' },
      { run: 'edit cm first', environment: { KUBE_EDITOR: './edit-key' }, out: 'configmap/first edited' },
      { run: "get cm first -o jsonpath='{.data.key}'", out: exactly('edited') },
      { run: 'edit cm first', environment: { KUBE_EDITOR: 'true' }, ok: true, err: 'Edit cancelled, no changes made.' },
      { run: 'replace -f maps.yaml', out: 'configmap/first replaced' },
      { run: "get cm first -o jsonpath='{.data.key}'", out: exactly('one') },
      { run: 'replace --force -f maps.yaml', out: ['deleted', 'configmap/first replaced'] },
      { run: 'replace -f pod.yaml', err: 'pods "solo" not found' },
      {
        run: 'replace -f -',
        input: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first, resourceVersion: "1"}\n',
        err: 'Operation cannot be fulfilled on configmaps "first": the object has been modified',
      },
    ],
  },
  {
    name: 'label and annotate',
    steps: [
      { run: 'create -f maps.yaml' },
      { run: 'label cm first colour=red', out: 'configmap/first labeled' },
      { run: 'label cm first colour=blue', err: /already has a value/ },
      { run: 'label cm first colour=blue --overwrite', out: 'configmap/first labeled' },
      { run: 'label cm -l app seen=yes', out: ['configmap/first labeled', 'configmap/second labeled'] },
      { run: 'get cm -l seen=yes,colour=blue -o name', out: exactly('configmap/first') },
      { run: 'label cm first colour-', out: 'configmap/first' },
      { run: 'label cm first bad=/value', err: /a valid label must be/ },
      { run: "annotate cm first note='some text'", out: 'configmap/first annotate' },
      { run: "get cm first -o jsonpath='{.metadata.annotations.note}'", out: exactly('some text') },
      { run: 'annotate cm first note-', out: 'configmap/first' },
      { run: 'annotate cm first --list', since: 27, out: exactly('') },
    ],
  },
  {
    name: 'scale and set',
    steps: [
      { run: 'create -f deployment.yaml' },
      { run: 'scale deployment/web --replicas=5', out: 'deployment.apps/web scaled' },
      { run: 'scale deployment/web --replicas=3 --current-replicas=9', err: 'Expected replicas to be 9, was 5' },
      { run: 'scale --current-replicas=5 --replicas=3 deployment/web', out: 'scaled' },
      { run: "get deployment web -o jsonpath='{.spec.replicas} {.metadata.generation}'", out: exactly('3 3') },
      { run: 'scale deployment/absent --replicas=3', err: /"absent" not found|no objects passed to scale/ },
      {
        run: 'get deployment web --subresource=scale -o json',
        since: 27,
        out: json({ kind: 'Scale', spec: { replicas: 3 }, status: { selector: 'app=web' } }),
      },
      { run: 'set image deployment/web server=nginx:3', out: 'deployment.apps/web image updated' },
      { run: 'set env deployment/web MODE=fast EXTRA=1', out: 'deployment.apps/web env updated' },
      {
        run: 'set resources deployment/web --limits=cpu=200m,memory=64Mi',
        out: 'deployment.apps/web resource requirements updated',
      },
      { run: 'set serviceaccount deployment/web robot', out: 'deployment.apps/web serviceaccount updated' },
      {
        run: 'get deployment web -o json',
        out: json({
          spec: {
            template: {
              spec: {
                serviceAccountName: 'robot',
                containers: [
                  {
                    image: 'nginx:3',
                    env: [{ name: 'MODE', value: 'fast' }, { name: 'EXTRA' }],
                    resources: { limits: { cpu: '200m', memory: '64Mi' } },
                  },
                ],
              },
            },
          },
        }),
      },
    ],
  },
]
