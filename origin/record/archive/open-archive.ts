import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { folderArchive } from "./folder-archive.ts";
import { type Archive, type OrderArchive, orderArchive } from "./order-archive.ts";
import { s3Archive } from "./s3-archive.ts";

type ArchiveSettings = {
  readonly ARCHIVE_URL?: string | undefined;
  readonly SLUICE_DATA_DIR: string;
  readonly AWS_ACCESS_KEY_ID?: string | undefined;
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined;
};

const DEFAULT_REGION = "auto";

/**
 * `s3://host/bucket/prefix?region=…` is an S3-compatible store over https (`&insecure=1`: plain http, for one on this
 * machine), `file:///path` a folder. The default is a folder in the data folder.
 */
export function openArchive(settings: ArchiveSettings): OrderArchive {
  return orderArchive(openObjectStore(settings));
}

/** The storage itself. */
export function openObjectStore(settings: ArchiveSettings): Archive {
  const { ARCHIVE_URL: address, SLUICE_DATA_DIR: dataFolder } = settings;
  if (address === undefined) return folderArchive(join(dataFolder, "archive"));
  const url = new URL(address);
  if (url.protocol === "file:") return folderArchive(fileURLToPath(address));
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error(
      "ARCHIVE_URL names an S3-compatible store: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set.",
    );
  }
  const scheme = url.searchParams.get("insecure") === "1" ? "http" : "https";
  const region = url.searchParams.get("region") ?? DEFAULT_REGION;
  return s3Archive({ url: `${scheme}://${url.host}${url.pathname}`, region, accessKeyId, secretAccessKey });
}
