import { Probe, PrometheusRule, ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { AlertmanagerConfig } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { CronJob } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, PersistentVolumeClaim, Service, ServiceAccount } from 'kubernetes-models/v1';
import type { Manifest } from '../src/manifest.ts';

/** The kinds that are written, each with the schema of its API version. */
const models = [
  AlertmanagerConfig,
  ConfigMap,
  CronJob,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Probe,
  PrometheusRule,
  Service,
  ServiceAccount,
  ServiceMonitor,
  StatefulSet,
];

/** What the Kubernetes schema of its kind refuses in a manifest. */
export function refusalsOf(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest;
  const model = models.find((each) => each.apiVersion === apiVersion && each.kind === kind);
  if (!model) return [`${kind} of ${apiVersion} has no schema here`];
  try {
    new model(manifest as never).validate();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
