export {
  AuditCategory,
  AuditRecorded,
  AuditRow,
  AuditStream,
  auditCategories,
  ExportAudit,
  GetAudit,
  ListAudit,
  ListTimeline,
  TimelineItem,
} from './audit.ts';
