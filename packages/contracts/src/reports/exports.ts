export { Month, monthEnds, monthOf } from './month.ts';
export {
  GetVaultReport,
  type ReportChart,
  ReportEdition,
  type ReportFigure,
  type ReportSection,
  type ReportTable,
  ReportUnit,
  reportEditions,
  reportFormats,
  reportSections,
  reportUnits,
  VaultReport,
} from './report.ts';
