//! Reads what a relay passes on, and gives it to the receiver; who sent it, it doesn't see.

use std::{
    fs::{self, OpenOptions},
    io::{Cursor, ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use bhttp::{Message, Mode};
use ohttp::{
    KeyConfig, Server, SymmetricSuite,
    hpke::{Aead, Kdf, Kem},
};

use crate::{Failure, REQUEST, RESPONSE, has_type, sender::Sender};

const KEY_ID: u8 = 1;
const KEY_SIZE: usize = 32;
const UNAVAILABLE: u16 = 503;
const WAIT: Duration = Duration::from_secs(10);

/// What a client is told that has an old key (RFC 9458, section 5.3).
const KEY_PROBLEM: &str = r#"{"type": "https://iana.org/assignments/http-problem-types#ohttp-key", "title": "key identifier unknown"}"#;

struct Gateway {
    server: Server,
    keys: Vec<u8>,
    receiver: Sender,
}

/// Returns a gateway to one receiver. `GET /ohttp-keys` gives its keys.
pub fn app(key: &str, receiver: &str) -> Result<Router, Failure> {
    let secret = secret(key).map_err(|failure| format!("{key}: {failure}"))?;
    let suites = vec![
        SymmetricSuite::new(Kdf::HkdfSha256, Aead::Aes128Gcm),
        SymmetricSuite::new(Kdf::HkdfSha256, Aead::ChaCha20Poly1305),
    ];
    let config = KeyConfig::derive(KEY_ID, Kem::X25519Sha256, suites, &secret)?;
    let encoded = config.encode()?;
    let keys = [&u16::try_from(encoded.len())?.to_be_bytes()[..], &encoded].concat();
    let receiver = Sender::new(receiver, None, WAIT)?;
    let gateway = Gateway { server: Server::new(config)?, keys, receiver };
    Ok(Router::new()
        .route("/", post(take))
        .route("/ohttp-keys", get(keys_of))
        .with_state(Arc::new(gateway)))
}

async fn keys_of(State(gateway): State<Arc<Gateway>>) -> Response {
    ([(header::CONTENT_TYPE, "application/ohttp-keys")], gateway.keys.clone()).into_response()
}

async fn take(State(gateway): State<Arc<Gateway>>, headers: HeaderMap, body: Bytes) -> Response {
    if !has_type(&headers, REQUEST) {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let Ok((request, response)) = gateway.server.decapsulate(&body) else {
        let problem = [(header::CONTENT_TYPE, "application/problem+json")];
        return (StatusCode::BAD_REQUEST, problem, KEY_PROBLEM).into_response();
    };
    let answered = match Message::read_bhttp(&mut Cursor::new(request)) {
        Ok(request) => passed_on(&gateway, request.content()).await,
        Err(_) => message(StatusCode::BAD_REQUEST.as_u16(), None),
    };
    match answered.and_then(|answer| Ok(response.encapsulate(&answer)?)) {
        Ok(sealed) => ([(header::CONTENT_TYPE, RESPONSE)], sealed).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Gives a report to the receiver, and returns what is said of its answer: status and wait.
async fn passed_on(gateway: &Gateway, report: &[u8]) -> Result<Vec<u8>, Failure> {
    let Some(answer) = gateway.receiver.post("application/json", report.to_vec()).await else {
        return message(UNAVAILABLE, None);
    };
    let wait = answer.headers().get(header::RETRY_AFTER).map(HeaderValue::as_bytes);
    message(answer.status().as_u16(), wait)
}

fn message(status: u16, wait: Option<&[u8]>) -> Result<Vec<u8>, Failure> {
    let mut answer = Message::response(status.try_into()?);
    if let Some(wait) = wait {
        answer.put_header("retry-after", wait);
    }
    let mut encoded = Vec::new();
    answer.write_bhttp(Mode::KnownLength, &mut encoded)?;
    Ok(encoded)
}

/// Returns the secret in a file, which only its owner can read; makes it if it is missing.
fn secret(path: &str) -> Result<Vec<u8>, Failure> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(mut file) => {
            let mut made = vec![0; KEY_SIZE];
            getrandom::fill(&mut made)?;
            file.write_all(&made)?;
            file.sync_all()?;
        }
        Err(failure) if failure.kind() == ErrorKind::AlreadyExists => {}
        Err(failure) => return Err(failure.into()),
    }
    let secret = fs::read(path)?;
    if secret.len() != KEY_SIZE {
        return Err(format!(
            "has {} bytes instead of {KEY_SIZE}; restore or remove it",
            secret.len()
        )
        .into());
    }
    Ok(secret)
}
